"""Finished matches for the tests of the ratings: written out by hand, or really played."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any, TypeVar

import pytest

from parlour.games.donation import GAME as DONATION
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import BUILT_IN, Frozen, Game
from parlour.games.engine.moves import Fault, FaultKind, Outcome, Record, Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.games.undercover import GAME
from parlour.games.undercover.rules import Setting
from parlour.ratings.counting.counts import CountKey, Counts
from parlour.ratings.measures.conditions import ALL_CONDITIONS
from parlour.ratings.measures.measures import Row, measures

T = TypeVar("T")
CREDITS = {"caught": (0, 3), "escaped": (3, 0), "tie": (2, 1)}
"""Credits by ending for the undercover and for each civilian, copied from the rules by hand."""
WINNERS = {"caught": "civilian", "escaped": "undercover", "tie": None}


def undercover(
    agents: Sequence[str] = "xyx",
    special: int = 1,
    ending: str = "caught",
    answers: Iterable[Answered] = (),
    *,
    number: int = 1,
    setting: str = "banjo",
    condition: str = "",
    counted: Iterable[int] = (0, 1, 2),
    game: str = "undercover",
) -> MatchRecord:
    """A match of undercover; ``agents`` may be a string of one-letter names."""
    roles = tuple("undercover" if seat == special else "civilian" for seat in range(len(agents)))
    outcome = Outcome(
        ending=ending,
        payoffs=tuple(CREDITS[ending][role == "civilian"] for role in roles),
        roles=roles,
        sides=roles,
        winners=tuple(Seat(seat) for seat, role in enumerate(roles) if role == WINNERS[ending]),
    )
    record = _record(game, setting, agents, counted, outcome, answers)
    return replace(record, number=number, condition=condition)


SPLIT_CREDITS = {"caught": (0, 2), "guessed": (1, 1), "escaped": (2, 0), "even": (1, 1)}
"""Credits by ending for the chameleon and for each other, copied from the rules by hand."""
FOUND = {"caught": "non_chameleon", "escaped": "chameleon"}


def chameleon(
    agents: Sequence[str] = "xyx",
    special: int = 1,
    ending: str = "caught",
    answers: Iterable[Answered] = (),
    *,
    counted: Iterable[int] = (0, 1, 2),
    setting: str = "guitar",
) -> MatchRecord:
    """A match of chameleon; one that is found out has guessed, unless answers are given."""
    roles = tuple("chameleon" if seat == special else "non_chameleon" for seat in range(3))
    given = tuple(answers)
    if ending in ("caught", "guessed") and not given:
        given = (guess(special, "a word"),)
    credits = SPLIT_CREDITS[ending]
    outcome = Outcome(
        ending=ending,
        payoffs=tuple(credits[role == "non_chameleon"] for role in roles),
        roles=roles,
        sides=roles,
        winners=tuple(Seat(seat) for seat in range(3) if roles[seat] == FOUND.get(ending)),
    )
    return _record("chameleon", setting, agents, counted, outcome, given)


def negotiation(
    agents: Sequence[str],
    rounds: Sequence[Sequence[Sequence[int]]],
    agreed: Sequence[int] | None,
    *,
    faults: Iterable[tuple[int, int]] = (),
    unasked: Iterable[tuple[int, int]] = (),
    counted: Iterable[int] = (0, 1, 2),
    setting: str = "A + B + C",
) -> MatchRecord:
    """A match of cost sharing: the splits proposed in each round, and what was agreed on.

    ``faults`` are the rounds (from 1) and seats of faulty proposals, ``unasked`` those of splits
    that the setting fixed.
    """
    answers = [
        _decided(round, "propose", seat, {"shares": list(split)}, (round, seat) in set(faults))
        for round, seat, split in _in_turn(rounds)
        if (round, seat) not in set(unasked)
    ]
    authors = [seat for seat, split in enumerate(rounds[-1]) if split == agreed]
    shares = None if agreed is None else list(agreed)
    facts = {"setting": setting, "rounds": len(rounds), "shares": shares, "authors": authors}
    outcome = Outcome(
        ending="failed" if agreed is None else "agreed",
        payoffs=(0.0,) * 3 if agreed is None else tuple(100.0 - share for share in agreed),
        roles=("airline",) * 3,
        sides=("airlines",) * 3,
        winners=() if agreed is None else (Seat(0), Seat(1), Seat(2)),
        facts=facts,
    )
    return _record("cost_sharing", setting, agents, counted, outcome, answers)


def dilemma(
    agents: Sequence[str],
    rounds: Sequence[str],
    payoffs: Sequence[float],
    *,
    faults: Iterable[tuple[int, int]] = (),
    counted: Iterable[int] = (0, 1, 2),
    setting: str = "points 3/1/5/5",
) -> MatchRecord:
    """A match of the prisoner's dilemma: C or D by seat in each round."""
    actions = {"C": "cooperate", "D": "defect"}
    answers = [
        _decided(round, "choose", seat, {"action": actions[letter]}, (round, seat) in set(faults))
        for round, seat, letter in _in_turn(rounds)
    ]
    outcome = _everybody_for_itself("prisoner", payoffs, {"setting": setting})
    return _record("prisoners_dilemma", setting, agents, counted, outcome, answers)


def pooling(
    agents: Sequence[str],
    rounds: Sequence[Sequence[int]],
    share: float,
    *,
    faults: Iterable[tuple[int, int]] = (),
    counted: Iterable[int] = (0, 1, 2),
    setting: str = "multiplier 1.5",
) -> MatchRecord:
    """A match of public good with 100 points each: what each seat gave in each round."""
    answers = [
        _decided(round, "contribute", seat, {"amount": amount}, (round, seat) in set(faults))
        for round, seat, amount in _in_turn(rounds)
    ]
    given = list(map(sum, zip(*rounds, strict=True)))
    facts = {"setting": setting, "contributed": given, "share": share}
    payoffs = [100 - each + share for each in given]
    outcome = _everybody_for_itself("contributor", payoffs, facts)
    return _record("public_good", setting, agents, counted, outcome, answers)


def _everybody_for_itself(role: str, payoffs: Sequence[float], facts: Record) -> Outcome:
    return Outcome(
        ending="played",
        payoffs=tuple(payoffs),
        roles=(role,) * len(payoffs),
        sides=tuple(f"seat {seat}" for seat in range(len(payoffs))),
        winners=tuple(Seat(n) for n, payoff in enumerate(payoffs) if payoff == max(payoffs)),
        facts=facts,
    )


def _in_turn(rounds: Sequence[Sequence[T]]) -> Iterator[tuple[int, int, T]]:
    """Each act with its round, from 1, and its seat."""
    for round, acts in enumerate(rounds, start=1):
        for seat, act in enumerate(acts):
            yield round, seat, act


def _decided(round: int, kind: str, seat: int, value: dict, faulted: bool) -> Answered:
    return Answered(round, kind, round, Seat(seat), value, "illegal" if faulted else None)


def _record(
    game: str,
    setting: str,
    agents: Sequence[str],
    counted: Iterable[int],
    outcome: Outcome,
    answers: Iterable[Answered],
) -> MatchRecord:
    seats = tuple(Seat(seat) for seat in counted)
    return MatchRecord(1, game, "", setting, tuple(agents), seats, outcome, tuple(answers))


def numbered(records: Iterable[MatchRecord]) -> list[MatchRecord]:
    """The records as the matches 1, 2, 3, ... of one tournament."""
    return [replace(record, number=number) for number, record in enumerate(records, start=1)]


def vote(seat: int, suspect: int | None) -> Answered:
    """A vote; None is the abstention that a fault leaves behind."""
    return _answered(20, "vote", seat, {"suspect": suspect, "reasoning": ""}, suspect is None)


def own_role(seat: int, role: str | None, ask: int = 10) -> Answered:
    """An answer to the probe of the own role; None is what a fault leaves behind."""
    return _answered(ask, "own_role", seat, {"role": role}, role is None)


def beliefs(seat: int, *suspects: int | None, ask: int = 11) -> Answered:
    """Whom Player 1, 2, 3, ... suspect in the eyes of this seat; nothing at all: a fault."""
    value = [{"viewer": viewer, "suspect": suspect} for viewer, suspect in enumerate(suspects)]
    return _answered(ask, "beliefs", seat, {"beliefs": value}, not suspects)


def beliefs_about(seat: int, held: dict[int, int | None]) -> Answered:
    """Beliefs by viewer; nothing at all: a fault."""
    value = [{"viewer": viewer, "suspect": suspect} for viewer, suspect in held.items()]
    return _answered(11, "beliefs", seat, {"beliefs": value}, not held)


def guess(seat: int, word: str | None) -> Answered:
    """The word that a chameleon guessed once it was found out; None is what a fault leaves."""
    return _answered(21, "guess", seat, {"word": word}, word is None)


def _answered(ask: int, kind: str, seat: int, value: dict, faulted: bool) -> Answered:
    return Answered(ask, kind, 1, Seat(seat), value, "illegal" if faulted else None)


def drawn_out(counts: Counts) -> dict[CountKey, list[tuple[float, float]]]:
    """The sums of every cluster, sorted, by key in the order of the counts."""
    rows = {}
    for key, sums in counts.items():
        rows[key] = sorted(chain.from_iterable([row] * each.times for each, row in sums.items()))
    return rows


def find(
    rows: Iterable[Row],
    measure: str,
    agent: str = "x",
    role: str | None = None,
    game: str | None = "undercover",
    condition: str = ALL_CONDITIONS,
) -> Row | None:
    """The one row of a measure, None if there is none."""
    wanted = (game, condition, agent, role, measure)
    matching = [r for r in rows if (r.game, r.condition, r.agent, r.role, r.measure) == wanted]
    assert len(matching) <= 1
    return matching[0] if matching else None


_ENTRY = re.compile(r"(\S+?)(?:@(\w+))?(?: \(([^)]+)\))? (?:none|(\S+) in (\d+)|([\d.]+)/(\d+))")


@dataclass(frozen=True)
class Shown:
    """Rows of measures, held to tables of expected figures."""

    rows: Sequence[Row]
    game: str | None = None

    def of(
        self, measure: str, agent: str = "x", role: str | None = None, game: str | None = None
    ) -> tuple[float, float] | None:
        """(k, n) of a rate, (value, n) of what has no k; None if there is no row."""
        row = find(self.rows, measure, agent, role, game or self.game)
        return None if row is None else (row.value if row.k is None else row.k, row.n)

    def are(self, table: str) -> None:
        """Holds them to lines such as ``judgment: x 1/2, y (civilian) none, x@chameleon 5/3 in 2``.

        An entry has agent (* for whoever played), game where it is another one, and role; then k/n
        of a rate, or value and n of what has no k. With none there is no such row. A semicolon
        ends a line, too.
        """
        lines = re.split("[;\n]", re.sub("#.*", "", table))
        for line in filter(None, map(str.strip, lines)):
            measure, _, entries = line.partition(": ")
            for entry in entries.split(", "):
                form = _ENTRY.fullmatch(entry.strip())
                assert form is not None, line
                agent, game, role, value, n, k, trials = form.groups()
                own = self.of(measure, agent.strip("*"), role, game)
                expected = None
                if k or value:
                    expected = pytest.approx((float(Fraction(value or k)), int(n or trials)))
                assert own == expected, f"{measure}: {entry}"


def measured(*records: MatchRecord) -> list[Row]:
    """The measures of some matches, numbered in their order."""
    return measures(numbered(records))


def shown(rows: Iterable[Row], game: str | None = None) -> Shown:
    """The rows of a game, or over all games, to be held to tables."""
    return Shown(list(rows), game)


def met(
    donor: int, recipient: int, action: str, report: str | None = None, **gossip: Any
) -> Record:
    """One encounter at benefit 5 and cost 1; ``gossip`` is the recipient's tone or signal."""
    paid, gained = (1.0, 5.0) if action == "cooperate" else (0.0, 0.0)
    return {
        **{"donor": donor, "recipient": recipient, "action": action},
        **{"donor_reward": 0.0 - paid, "recipient_reward": gained, "report": report},
        **gossip,
    }


def donation(
    agents: Sequence[str],
    encounters: Sequence[Record],
    payoffs: Sequence[float],
    *,
    greedy: int = 0,
    faults: Iterable[tuple[str, int]] = (),
    condition: str = "",
    number: int = 1,
    counted: Sequence[int] | None = None,
) -> MatchRecord:
    """A match of donation; the last ``greedy`` seats are the rules' own.

    ``faults`` are the kinds and steps (from 1) of answers that were faults.
    """
    seats = len(agents) + greedy
    answers = []
    for step, each in enumerate(encounters, start=1):
        asked = [("donate", each["donor"])]
        asked += [("report", each["donor"])] if each["report"] else []
        asked += [("gossip", each["recipient"])] if {"tone", "signal"} & set(each) else []
        for kind, seat in asked:
            fault = "illegal" if (kind, step) in faults else None
            if seat < len(agents):
                answers.append(Answered(len(answers), kind, step, Seat(seat), {}, fault))
    outcome = Outcome(
        ending="played",
        payoffs=tuple(payoffs),
        roles=("player",) * len(agents) + ("greedy",) * greedy,
        sides=tuple(f"seat {seat}" for seat in range(seats)),
        facts={"encounters": list(encounters)},
    )
    counted = range(len(agents)) if counted is None else counted
    seated = (*agents, *[BUILT_IN] * greedy)
    record = _record("donation", "empty", seated, counted, outcome, answers)
    return replace(record, number=number, condition=condition)


def single_seats(
    game: str,
    agents: Sequence[str],
    payoffs: Sequence[float],
    facts: Record,
    answers: Sequence[tuple[str, int, Record]] = (),
    number: int = 1,
) -> MatchRecord:
    """A match of cost sharing, the dilemma or public good; answers are kind, seat and value."""
    if facts.get("shares") is not None:
        ending = "agreed"
    else:
        ending = "failed" if game == "cost_sharing" else "played"
    role = {"cost_sharing": "airline", "prisoners_dilemma": "prisoner"}.get(game, "contributor")
    outcome = replace(_everybody_for_itself(role, payoffs, facts), ending=ending)
    given = [
        _answered(ask, kind, seat, value, False) for ask, (kind, seat, value) in enumerate(answers)
    ]
    record = _record(game, "setting", agents, range(len(agents)), outcome, given)
    return replace(record, number=number)


def drawn(
    name: str, agents: Sequence[str], seed: int, faulty: float = 0.1, **keys: object
) -> MatchRecord:
    """A match of any game on a shipped setting really played, by fair draws, with some faults."""
    game = find_game(name, "records")
    variant = game.variant.model_validate(keys)
    record = game.shipped()[seed % len(game.shipped())]
    setting = game.make_setting(record, variant)
    table = Table(game, setting, len(agents), seed)
    made = played_out(table, game, variant, f"setting {seed}", agents, faulty, 0)
    return replace(made, covariates=game.counting.covariates(record, setting))


def played_donation(
    agents: Sequence[str], seed: int, faulty: float, number: int, **keys: object
) -> MatchRecord:
    """A match of donation really played, by fair draws, with a share of faults."""
    variant = DONATION.variant.model_validate({**keys, "agents_per_match": len(agents)})
    setting = DONATION.make_setting(DONATION.shipped()[0], variant)
    table = Table(DONATION, setting, len(agents), seed)
    return played_out(table, DONATION, variant, "empty", agents, faulty, number)


def played(
    agents: Sequence[str], special: int, pair: int, seed: int, faulty: float, number: int
) -> MatchRecord:
    """A match really played, by fair draws, with a share of faults."""
    words = {"civilian_word": f"word{pair}", "undercover_word": f"cousin{pair}"}
    setting = Setting(**words, undercover_seat=special, clue_rounds=1)
    table = Table(GAME, setting, 3, seed)
    variant = GAME.variant(clue_rounds=1)
    return played_out(table, GAME, variant, f"pair {pair}", agents, faulty, number)


def played_out(
    table: Table,
    game: Game,
    variant: Frozen,
    setting: str,
    agents: Sequence[str],
    faulty: float,
    number: int,
) -> MatchRecord:
    while table.pending is not None:
        ask, dice = table.pending, Dice(table.seed, "test", table.ask_number)
        table.answer(
            {
                seat: Fault(FaultKind.ILLEGAL) if dice.chance(faulty) else ask.sample(seat, dice)
                for seat in ask.seats
            }
        )
    return replace(record_of(table, game, variant, setting, agents), number=number)


def record_of(
    table: Table, game: Game, variant: Frozen, setting: str, agents: Sequence[str]
) -> MatchRecord:
    """A finished match as ratings read it."""
    answers = [
        Answered(event.ask, event.kind, event.round, event.by, event.record, event.fault)
        for event in table.events
        if event.by is not None
    ]
    record = _record(game.name, setting, agents, table.seats, table.outcome, answers)
    return replace(record, condition=game.condition(variant))


def without_faults(records: Iterable[MatchRecord]) -> list[MatchRecord]:
    """The matches without a fault that moved them."""
    return [each for each in records if not each.is_faulty(find_game(each.game, "test").probes)]
