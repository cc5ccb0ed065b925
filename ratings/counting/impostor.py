"""What is counted in the impostor game: wins, declarations, coalitions, networks, tie policies.

Source: the impostor paper, sections 2 and 3 and appendix C.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.families.word_games import top_of
from parlour.games.impostor import GAME
from parlour.ratings.counting.gossip import Count
from parlour.ratings.counting.networks import Ballot, positions
from parlour.ratings.counting.teams import in_teams, of_team_match

ALL = ""
"""What stands for an agent where something is counted of all matches, whoever played."""
ENDINGS = tuple(GAME.endings)
TIE_SIZES = ("2", "3", "4")
"""The parts into which matches fall by ending, and ties by how many share the top."""
HALVES = ("first half", "second half")
"""The parts of an experiment, by its finished matches in order."""


def of_impostor(record: MatchRecord) -> Iterator[Count]:
    """Everything that one match adds; nothing for any other game."""
    if record.game != "impostor":
        return
    votes = {answer.seat: answer for answer in record.answers if answer.kind == "vote"}
    ballot: Ballot = tuple(votes[seat].value["suspect"] for seat in sorted(votes))
    clues = {
        answer.seat: str(answer.value["text"])
        for answer in record.answers
        if answer.kind == "clue" and answer.fault is None
    }
    yield from _of_table(record, ballot)
    yield from _of_impostor_seat(record, votes)
    yield from _of_majority(record, ballot)
    yield from _accusations(record.agents, record.counted, ballot)
    impostor = record.outcome.roles.index("impostor")
    held: dict[tuple[str, str], list[Seat]] = {}
    for seat in record.counted:
        held.setdefault((record.agents[seat], record.outcome.roles[seat]), []).append(seat)
    for (agent, role), seats in held.items():
        for counter, total, places in _positions_of(ballot, tuple(seats)):
            yield agent, role, counter, total, places
        said = [len(clues[seat].split()) for seat in seats if seat in clues]
        if said:
            yield agent, role, "description_length", sum(said), len(said)
        knows = [
            votes[seat].fault is None
            and votes[seat].value["self_declaration"] == (seat == impostor)
            for seat in seats
        ]
        yield agent, role, "declared_rightly", sum(knows), len(knows)
        if role == "majority":
            detected = sum(ballot[seat] == impostor for seat in seats)
            yield agent, role, "detected", detected, len(seats)
    if in_teams(record):
        yield from of_team_match(record, votes, clues)


@lru_cache(maxsize=16384)  # 256 ballots, of which an agent holds some of four seats
def _positions_of(ballot: Ballot, seats: tuple[Seat, ...]) -> list[tuple[str, float, int]]:
    """The places of some seats in the networks: measure, sum and number of seats."""
    found: dict[str, list[float]] = {}
    for seat in seats:
        for counter, value in positions(ballot)[seat].items():
            found.setdefault(counter, []).append(value)
    return [(counter, sum(values), len(values)) for counter, values in found.items()]


@lru_cache
def tied(ballot: Ballot) -> tuple[int, ...]:
    """The seats that share the top of the ballot, in order; empty where nobody shares it."""
    top = top_of(ballot)
    return top if len(top) > 1 else ()


def fair_draw(top: tuple[int, ...], impostor: int) -> float:
    """The impostor's chance to get away where one of the tied is drawn."""
    return 1 - 1 / len(top) if impostor in top else 1.0


def _of_table(record: MatchRecord, ballot: Ballot) -> Iterator[Count]:
    """What a match adds to its condition, whoever played. Other tie policies touch ties alone."""
    outcome = record.outcome
    impostor = outcome.roles.index("impostor")
    won = impostor in outcome.winners
    top, undecided = tied(ballot), outcome.ending == "tie"
    drawn = fair_draw(top, impostor) if undecided else won
    yield ALL, "impostor", "impostor_won", won, 1
    yield ALL, outcome.ending, "ended", 1, 1
    yield ALL, "impostor", "tied", bool(top), 1
    if top:
        yield ALL, str(len(top)), "tied_so_many", 1, 1
        yield ALL, "impostor", "impostor_tied", impostor in top, 1
    yield ALL, "impostor", "won_by_candidate", drawn, 1
    yield ALL, "impostor", "won_by_side", 0.5 if undecided else won, 1


def _of_impostor_seat(record: MatchRecord, votes: Mapping[Seat, Answered]) -> Iterator[Count]:
    """Whether the impostor won, declared itself, and then named the word."""
    outcome = record.outcome
    seat = Seat(outcome.roles.index("impostor"))
    if seat not in record.counted:
        return
    agent, declared = record.agents[seat], votes[seat].value["self_declaration"]
    yield agent, "impostor", "impostor_won", seat in outcome.winners, 1
    yield agent, "impostor", "declared", declared, 1
    if declared:
        yield agent, "impostor", "guessed_word", outcome.ending == "impostor_guessed", 1


def _of_majority(record: MatchRecord, ballot: Ballot) -> Iterator[Count]:
    """Whether the majority won, found the impostor, and voted together.

    A coalition is two or three of the majority who name the same seat; it converts if that is
    the impostor. An abstention agrees with nobody.
    """
    roles, counted = record.outcome.roles, record.counted
    impostor = roles.index("impostor")
    side = tuple(seat for seat, role in enumerate(roles) if role == "majority")
    won = any(roles[seat] == "majority" for seat in record.outcome.winners)
    pairs, target = _together(ballot, side)
    for agent in sorted({record.agents[seat] for seat in side if seat in counted}):
        yield agent, "majority", "majority_won", won, 1
        if target is not None:
            yield agent, "majority", "converted", target == impostor, 1
        held = [
            equal
            for one, other, equal in pairs
            if agent in {record.agents[seat] for seat in (one, other) if seat in counted}
        ]
        yield agent, "majority", "voted_alike", sum(held), len(held)


@lru_cache(maxsize=1024)  # 256 ballots, of which one seat in four is the impostor's
def _together(
    ballot: Ballot, side: tuple[int, ...]
) -> tuple[list[tuple[int, int, bool]], Seat | None]:
    """The pairs of one side with whether both named the same seat; whom two or more named."""
    pairs = [
        (one, other, ballot[one] is not None and ballot[one] == ballot[other])
        for one, other in combinations(side, 2)
    ]
    return pairs, next((ballot[one] for one, _, equal in pairs if equal), None)


@lru_cache(maxsize=16384)  # the same agents cast the same ballots again and again
def _accusations(
    agents: tuple[str, ...], counted: tuple[Seat, ...], ballot: Ballot
) -> tuple[Count, ...]:
    """How often each agent's seats named each agent, of the votes due with it in another seat."""
    found: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for voter in counted:
        suspect = ballot[voter]
        named = None if suspect is None else agents[suspect]
        for other in sorted({agent for seat, agent in enumerate(agents) if seat != voter}):
            found[agents[voter], other].append(named == other)
    return tuple(
        (accuser, accused, "accused", sum(votes), len(votes))
        for (accuser, accused), votes in found.items()
    )


def of_halves(records: Sequence[MatchRecord]) -> Iterator[tuple[MatchRecord, Count]]:
    """The impostor's wins in either half of each experiment, by match number, whoever played.

    The middle match of an odd number belongs to the first half.
    """
    experiments: dict[tuple[str, str], list[MatchRecord]] = defaultdict(list)
    for record in sorted(records, key=lambda record: record.number):
        if record.game == "impostor":
            experiments[record.condition, record.experiment].append(record)
    for matches in experiments.values():
        middle = (len(matches) + 1) // 2
        for half, part in zip(HALVES, (matches[:middle], matches[middle:]), strict=True):
            won = sum("impostor" in {m.outcome.roles[s] for s in m.outcome.winners} for m in part)
            if part:
                yield part[0], (ALL, half, "impostor_won_in_half", won, len(part))
