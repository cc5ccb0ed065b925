"""Counts of team mates in the impostor game: similarity of speech and votes, trust and betrayal.

Each team has half of the seats, such as 0 and 1, and 2 and 3. The impostor paper (appendix M) names
trust, betrayal and recovery without defining them; the definitions here are by votes alone. What is
counted of two team mates is counted of every two in a larger team.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import sqrt
from operator import truediv

from parlour.games.engine.counting import Count, Measure, RateFormula
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.impostor.rules import team_mates, teams_of

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
