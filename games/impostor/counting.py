"""Counts of the impostor game: wins, declarations, coalitions, accusations, ties, team mates.

Each team has half of the seats, such as 0 and 1, and 2 and 3. The impostor paper (appendix M) names
trust, betrayal and recovery without defining them; the definitions here are by votes alone. What is
counted of two team mates is counted of every two in a larger team.

Source: the impostor paper, sections 2 and 3 and appendices C and M.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from math import sqrt
from operator import truediv
from typing import Any

from parlour.games.engine.counting import Ballot, Count, Counting, Measure, RateFormula
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.record import Answered, Covariates, MatchRecord
from parlour.games.families.clues.honesty import HONESTY, count_honesty
from parlour.games.families.group_sizes import words_of
from parlour.games.families.word_games import top_of
from parlour.games.impostor.rules import ENDINGS, Pair, Setting, team_mates, teams_of

TEAM = "team"
"""The slice of all counts of a team."""
WITHIN = 3
"""Number of votes after a betrayal in which trust may return."""

_FUNCTION_WORDS = """
a about above after again against all also although am an and another any are around as at
be because been before being below between both but by can cannot could did do does doing
down during each either else enough even every few for from further had has have having he
her here hers herself him himself his how however i if in into is it its itself just less
many may me might mine more most much must my myself neither no nor not of off often on once
one only or other others our ours ourselves out over own per perhaps quite rather same shall
she should since so some something sometimes somewhat such than that the their theirs them
themselves then there these they this those though through thus to too toward under until up
upon us usually very was we were what when where whether which while who whom whose why will
with within without would yet you your yours yourself it's that's there's they're you're i'm
don't doesn't isn't aren't can't won't
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English function words, as opposed to content words."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


def in_teams(record: MatchRecord) -> bool:
    """True if the match was one of two teams."""
    return "assignment=team_" in record.condition


def team_mode(record: MatchRecord) -> str:
    """The kind of teams of a match, "blind" or "team"; "" without teams. Counts ask no more."""
    if not in_teams(record):
        return ""
    return "blind" if "assignment=team_blind" in record.condition else "team"


def count_team_match(record: MatchRecord, votes: Mapping[Seat, Answered]) -> Iterator[Count]:
    """Yields what each team of one match adds, for each agent with a counted seat in it."""
    blind = team_mode(record) == "blind"
    roles, winners = record.outcome.roles, record.outcome.winners
    for team in teams_of(len(roles)):
        # With the impostor on the team it is the impostor's win, else that of both.
        side = "impostor" if "impostor" in [roles[seat] for seat in team] else "majority"
        won = any(roles[seat] == side for seat in winners)
        mates = [(votes[one], votes[other]) for one, other in combinations(team, 2)]
        equal = [_suspect_alike(one, other) for one, other in mates]
        counts = [("teammates_equal", each) for each in equal]
        counts += [("aligned", _move(one) == _move(other)) for one, other in mates]
        counts.append(("collaborated", won))
        if blind:
            counts += [("implicit", each) for each in equal]
        for agent in _agents_of(record, team):
            for counter, k in counts:
                yield agent, TEAM, counter, k, 1


def count_team_texts(record: MatchRecord, clues: Mapping[Seat, str]) -> Iterator[Count]:
    """Yields the likeness of the descriptions of each team, for each agent as above."""
    for team in teams_of(len(record.agents)):
        texts = [clues[seat] for seat in team if seat in clues]
        for pair in combinations(texts, 2):
            likeness = _likeness(*pair)
            for agent in _agents_of(record, team):
                for counter, k in likeness:
                    yield agent, TEAM, counter, k, 1


def _agents_of(record: MatchRecord, team: Sequence[Seat]) -> list[str]:
    """The agents with a counted seat in a team, by name."""
    return sorted({record.agents[seat] for seat in team if seat in record.counted})


def _suspect_alike(one: Answered, other: Answered) -> bool:
    target = one.value["suspect"]
    return target is not None and bool(target == other.value["suspect"])


def _move(vote: Answered) -> str:
    """The kind of move that a vote is."""
    if vote.value["self_declaration"]:
        return "declare"
    return "abstain" if vote.value["suspect"] is None else "vote"


@lru_cache(maxsize=4096)  # cached as the words are
def _likeness(one: str, other: str) -> list[tuple[str, float]]:
    """Similarity of two descriptions in content words and in function words, 0 to 1."""
    likeness = []
    (content, style), (other_content, other_style) = _words(one), _words(other)
    if content or other_content:
        shared_words = len(content & other_content) / len(content | other_content)
        likeness.append(("converged_words", shared_words))
    if style or other_style:
        shared = _dot(style, other_style)
        lengths = _dot(style, style) * _dot(other_style, other_style)
        likeness.append(("mirrored", shared / sqrt(lengths) if shared else 0.0))
    return likeness


def _dot(one: Counter[str], other: Counter[str]) -> int:
    """The dot product of two counts of words."""
    return sum(count * other[word] for word, count in one.items())


@lru_cache(maxsize=4096)  # cached: scripted players repeat themselves
def _words(text: str) -> tuple[frozenset[str], Counter[str]]:
    """The set of content words, and the number of each function word."""
    words = _WORD.findall(text.casefold().replace("’", "'"))
    content = frozenset(word for word in words if word not in FUNCTION_WORDS)
    return content, Counter(word for word in words if word in FUNCTION_WORDS)


def count_sequences(records: Sequence[MatchRecord]) -> Iterator[tuple[MatchRecord, Count]]:
    """Yields trust, betrayal and recovery over consecutive matches of one experiment.

    Followed for each of an agent's seats, first to first and second to second, vote by vote in
    the order of matches; an abstention is no vote.
    """
    spared: dict[tuple[str, str, str, int], list[tuple[MatchRecord, bool]]] = defaultdict(list)
    for record in sorted(filter(in_teams, records), key=lambda record: record.order):
        votes = {answer.seat: answer for answer in record.answers if answer.kind == "vote"}
        seats: Counter[str] = Counter()
        for seat in record.counted:
            agent = record.agents[seat]
            suspect = votes[seat].value["suspect"]
            if suspect is not None:
                member = (record.condition, record.experiment, agent, seats[agent])
                spared[member].append((record, suspect not in team_mates(seat, len(record.agents))))
            seats[agent] += 1
    for (_, _, agent, _), sequence in spared.items():
        for index, counter, k in _of_sequence([trusts for _, trusts in sequence]):
            yield sequence[index][0], (agent, TEAM, counter, k, 1)


def _of_sequence(trusts: Sequence[bool]) -> Iterator[tuple[int, str, bool]]:
    """Index, counter and result for one member's votes in order; True spares the team mate."""
    for index, trusting in enumerate(trusts):
        yield index, "trusted", trusting
        if index and trusts[index - 1]:
            yield index, "betrayed", not trusting
            after = trusts[index + 1 : index + 1 + WITHIN]
            if not trusting and len(after) == WITHIN:
                yield index, "recovered", any(after)


TEAM_MEASURES = (
    Measure("trust_formation", "trusted", paired=False),
    Measure("betrayal_rate", "betrayed", paired=False),
    Measure("trust_recovery", "recovered", paired=False),
    Measure("implicit_coordination", "implicit"),
    Measure("strategy_alignment", "aligned"),
    Measure("collaboration_success", "collaborated"),
    Measure("vocabulary_convergence", "converged_words", "mean"),
    Measure("style_mirroring", "mirrored", "mean"),
)
"""Measures of teams."""
TEAM_FORMULAS = (
    RateFormula("vulnerability", ("trusted", "betrayed"), truediv),
    RateFormula("resilience", ("recovered", "betrayed"), truediv),
)


ALL = ""
"""The agent of counts over all matches, whoever played."""
TIE_SIZES = ("2", "3", "4")
"""Sizes of a tie at four seats: how many share the top. Larger groups have larger ones, too."""
HALVES = ("first half", "second half")
"""Parts of an experiment, by its finished matches in order."""
SLICED = {
    "impostor_won": "impostor_win",
    "majority_won": "majority_win",
    "detected": "detection_accuracy",
    "declared": "self_declaration",
    "declared_falsely": "majority_self_declaration",
}
"""The counters that are also counted by slice, with their measures."""


def impostors_of(record: MatchRecord) -> tuple[Seat, ...]:
    """The seats of the impostors."""
    return tuple(Seat(s) for s, role in enumerate(record.outcome.roles) if role == "impostor")


def ballot_of(record: MatchRecord) -> Ballot:
    """The seats named, in seat order of the voters."""
    votes = _votes(record)
    return tuple(votes[seat].value["suspect"] for seat in sorted(votes))


def _votes(record: MatchRecord) -> dict[Seat, Answered]:
    """The vote of each seat: of several the first, or that with which it declares itself."""
    votes: dict[Seat, Answered] = {}
    for answer in record.answers:
        if answer.kind == "vote" and (answer.seat not in votes or answer.value["self_declaration"]):
            votes[answer.seat] = answer
    return votes


def covariates(pair: Pair, setting: Setting) -> Covariates:
    """The difficulty of the pair, the assignment, and the words."""
    return replace(words_of(pair, setting), tier=pair.difficulty, mode=setting.assignment)


def slices(record: MatchRecord) -> list[str]:
    """The slices of a match: tier, mode, and each impostor's seat and first speaking position."""
    impostors = impostors_of(record)
    own = [f"impostor is {player(seat)}" for seat in impostors]
    speakers = [answer.seat for answer in record.answers if answer.kind == "clue"]
    places = [speakers.index(seat) + 1 for seat in impostors if seat in speakers]
    own += [f"impostor speaks in position {place}" for place in places]
    return [*filter(None, (record.covariates.tier, record.covariates.mode)), *own]


def count(record: MatchRecord) -> Iterator[Count]:
    """Yields everything that one match adds, except by slice and from texts."""
    votes, ballot = _votes(record), ballot_of(record)
    yield from _of_table(record, ballot)
    yield from _of_impostors(record, votes)
    yield from _of_majority(record, ballot)
    yield from _accusations(record.agents, record.counted, ballot)
    impostors = impostors_of(record)
    for (agent, role), seats in record.seats_of().items():
        knows = [
            votes[seat].fault is None
            and votes[seat].value["self_declaration"] == (seat in impostors)
            for seat in seats
        ]
        yield agent, role, "declared_rightly", sum(knows), len(knows)
        if role == "majority":
            detected = sum(ballot[seat] in impostors for seat in seats)
            yield agent, role, "detected", detected, len(seats)
            falsely = sum(votes[seat].value["self_declaration"] for seat in seats)
            yield agent, role, "declared_falsely", falsely, len(seats)
    if in_teams(record):
        yield from count_team_match(record, votes)


def count_texts(record: MatchRecord) -> Iterator[Count]:
    """Yields honesty and lengths of descriptions, and the likeness of those of team mates."""
    yield from count_honesty(record)
    clues = {
        answer.seat: str(answer.value["text"])
        for answer in record.answers
        if answer.kind == "clue" and answer.fault is None
    }
    for (agent, role), seats in record.seats_of().items():
        said = [len(clues[seat].split()) for seat in seats if seat in clues]
        if said:
            yield agent, role, "description_length", sum(said), len(said)
    if in_teams(record):
        yield from count_team_texts(record, clues)


def shape(record: MatchRecord) -> tuple[object, ...]:
    """All that the counts of a match depend on, besides names, outcome and texts."""
    votes, clues, probes = [], [], []
    for answer in record.answers:
        kind, seat, sound = answer.kind, answer.seat, answer.fault is None
        if kind == "vote":
            value = answer.value
            votes.append((answer.round, seat, value["suspect"], value["self_declaration"], sound))
        elif kind == "clue":
            clues.append((seat, sound))
        else:
            probes.append((kind, answer.round, answer.ask, seat, sound, str(answer.value)))
    return team_mode(record), tuple(sorted(clues)), tuple(votes), tuple(probes)


@lru_cache
def tied(ballot: Ballot) -> tuple[int, ...]:
    """The seats tied at the top of the ballot, in order; empty without a tie."""
    top = top_of(ballot)
    return top if len(top) > 1 else ()


def fair_draw(top: Sequence[int], impostors: Collection[int]) -> float:
    """The impostors' chance to escape if one of the tied seats is drawn."""
    return 1 - sum(seat in impostors for seat in top) / max(len(top), 1)


def _of_table(record: MatchRecord, ballot: Ballot) -> Iterator[Count]:
    """Counts of a match over all agents; other tie policies only change ties."""
    outcome = record.outcome
    impostors, won = impostors_of(record), _impostor_won(record)
    top, undecided = tied(ballot), outcome.ending == "tie"
    drawn = fair_draw(top, impostors) if undecided else won
    yield ALL, "impostor", "impostor_won", won, 1
    yield ALL, outcome.ending, "ended", 1, 1
    yield ALL, "impostor", "tied", bool(top), 1
    if top:
        yield ALL, str(len(top)), "tied_so_many", 1, 1
        yield ALL, "impostor", "impostor_tied", not {*impostors}.isdisjoint(top), 1
    yield ALL, "impostor", "won_by_candidate", drawn, 1
    yield ALL, "impostor", "won_by_side", 0.5 if undecided else won, 1


def _of_impostors(record: MatchRecord, votes: Mapping[Seat, Answered]) -> Iterator[Count]:
    """The impostors' win, their declarations, and whether one then named the word."""
    for (agent, role), seats in record.seats_of().items():
        if role == "impostor":
            declared = sum(votes[seat].value["self_declaration"] for seat in seats)
            yield agent, role, "impostor_won", _impostor_won(record), 1
            yield agent, role, "declared", declared, len(seats)
            if declared:
                guessed = record.outcome.ending == "impostor_guessed"
                yield agent, role, "guessed_word", guessed, 1


def _of_majority(record: MatchRecord, ballot: Ballot) -> Iterator[Count]:
    """The majority's win, its coalition, and the agreement of its votes.

    A coalition is the most of the majority, at least two, who name the same seat; it converts if
    that is an impostor. An abstention agrees with nobody.
    """
    roles, counted = record.outcome.roles, record.counted
    side = tuple(seat for seat, role in enumerate(roles) if role == "majority")
    won = any(roles[seat] == "majority" for seat in record.outcome.winners)
    pairs, target = _together(ballot, side)
    for agent in sorted({record.agents[seat] for seat in side if seat in counted}):
        yield agent, "majority", "majority_won", won, 1
        if target is not None:
            yield agent, "majority", "converted", roles[target] == "impostor", 1
        own = []
        for one, other, equal in pairs:
            if agent in {record.agents[seat] for seat in (one, other) if seat in counted}:
                own.append(equal)
        yield agent, "majority", "voted_alike", sum(own), len(own)


@lru_cache(maxsize=1024)  # cached: four seats have only 256 ballots
def _together(
    ballot: Ballot, side: tuple[int, ...]
) -> tuple[list[tuple[int, int, bool]], Seat | None]:
    """Pairs of one side, each with True if both named the same seat; the seat that most named."""
    pairs = [
        (one, other, ballot[one] is not None and ballot[one] == ballot[other])
        for one, other in combinations(side, 2)
    ]
    alike = any(equal for _, _, equal in pairs)
    return pairs, top_of(ballot[seat] for seat in side)[0] if alike else None


@lru_cache(maxsize=16384)  # cached: the same ballots recur
def _accusations(
    agents: tuple[str, ...], counted: tuple[Seat, ...], ballot: Ballot
) -> tuple[Count, ...]:
    """Votes of each agent's seats for each agent, of those due with it in another seat."""
    votes_between: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for voter in counted:
        suspect = ballot[voter]
        named = None if suspect is None else agents[suspect]
        for other in sorted({agent for seat, agent in enumerate(agents) if seat != voter}):
            votes_between[agents[voter], other].append(named == other)
    return tuple(
        (accuser, accused, "accused", sum(votes), len(votes))
        for (accuser, accused), votes in votes_between.items()
    )


def count_halves(records: Sequence[MatchRecord]) -> Iterator[tuple[MatchRecord, Count]]:
    """Yields the impostor's wins in either half of each experiment, whoever played.

    The middle match of an odd number belongs to the first half.
    """
    experiments: dict[tuple[str, str], list[MatchRecord]] = defaultdict(list)
    for record in sorted(records, key=lambda record: record.order):
        experiments[record.condition, record.experiment].append(record)
    for matches in experiments.values():
        middle = (len(matches) + 1) // 2
        for half, part in zip(HALVES, (matches[:middle], matches[middle:]), strict=True):
            won = sum(_impostor_won(record) for record in part)
            if part:
                yield part[0], (ALL, half, "impostor_won_in_half", won, len(part))


def _impostor_won(record: MatchRecord) -> bool:
    return "impostor" in {record.outcome.roles[seat] for seat in record.outcome.winners}


def _in_order(records: Sequence[MatchRecord]) -> Iterator[tuple[MatchRecord, Count]]:
    """Yields the counts of consecutive matches."""
    yield from count_sequences(records)
    yield from count_halves(records)


def balance(impostor_won: Any, _tied: Any = None) -> Any:
    """1 - |2p - 1|: 1 where both sides win equally often, 0 where one always wins.

    Only counts over all matches have ties. Source: the impostor paper, section 3.
    """
    return 1 - abs(2 * impostor_won - 1)


COUNTING = Counting(
    deductions=True,
    details=count,
    texts=count_texts,
    slices=slices,
    sliced=SLICED,
    shape=shape,
    sequences=_in_order,
    followed=("vote",),
    ballot=ballot_of,
    covariates=covariates,
    measures=(
        Measure("impostor_win", "impostor_won"),
        Measure("impostor_win", "impostor_won_in_half", sliced=True, total=False),
        Measure("majority_win", "majority_won"),
        Measure("detection_accuracy", "detected"),
        Measure("self_declaration", "declared"),
        Measure("majority_self_declaration", "declared_falsely"),
        Measure("guess_success", "guessed_word"),
        Measure("coalition_efficiency", "converted"),
        Measure("vote_coordination", "voted_alike"),
        Measure("tie_rate", "tied", paired=False),
        Measure("tied_impostor", "impostor_tied", paired=False),
        Measure("accusation", "accused", sliced=True, total=False),
        Measure("ending_share", "ended", "parts", parts=tuple(ENDINGS)),
        Measure("tie_size", "tied_so_many", "parts", parts=TIE_SIZES),
        Measure("impostor_win_sym_candidate", "won_by_candidate", "mean", paired=False),
        Measure("impostor_win_sym_side", "won_by_side", "mean", paired=False),
        Measure("description_length", "description_length", "amount"),
        HONESTY,
        *TEAM_MEASURES,
        *(
            Measure(measure, f"{counter}_by_slice", sliced=True, total=False)
            for counter, measure in SLICED.items()
        ),
    ),
    formulas=(RateFormula("balance", ("impostor_won", "tied"), balance), *TEAM_FORMULAS),
    profile={"coordination": "teammates_equal", "self_awareness": "declared_rightly"},
)
