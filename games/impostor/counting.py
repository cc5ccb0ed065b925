"""Counts of the impostor game: wins, declarations, coalitions, accusations, tie policies.

Source: the impostor paper, sections 2 and 3 and appendix C.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Any

from parlour.games.engine.counting import Ballot, Count, Counting, Measure, RateFormula
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.record import Answered, Covariates, MatchRecord
from parlour.games.families.clues.honesty import HONESTY, count_honesty
from parlour.games.families.group_sizes import words_of
from parlour.games.families.word_games import top_of
from parlour.games.impostor.rules import ENDINGS, Pair, Setting
from parlour.games.impostor.teams import (
    TEAM_FORMULAS,
    TEAM_MEASURES,
    count_sequences,
    count_team_match,
    count_team_texts,
    in_teams,
    team_mode,
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
