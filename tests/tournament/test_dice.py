"""The dice of agents: each match draws its own, whatever else it shares."""

from collections import defaultdict
from dataclasses import fields, replace
from itertools import product
from pathlib import Path

from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Seat
from parlour.tournament.plan.schedule import PlannedMatch, schedule
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredMatch
from tests.tournaments import in_save, play, tournament

NAMES = "ABCDEF"
SIX = "".join(f'[[agents]]\nname = "{name}"\nstrategy = "random"\n' for name in NAMES)
DILEMMA = '[[games]]\nname = "prisoners_dilemma"\n'
COMMON = f'name = "x"\nseed = 5\nseeding = "common"\n{DILEMMA}{SIX}'


def stored(match: PlannedMatch) -> StoredMatch:
    return StoredMatch(*(getattr(match, field.name) for field in fields(match)))


def draws(dice: Dice) -> tuple[int, ...]:
    return tuple(dice.below(2**32) for _ in range(2))


def moves(path: Path) -> dict[tuple[str, int, int], list[tuple[str, ...]]]:
    """The moves of each agent in each match, by agent, seat and setting."""
    made: dict[tuple[int, int], list[str]] = defaultdict(list)
    with Save(path) as save:
        for answer in save.answers():
            made[answer.match, answer.seat].append(answer.value)
        by_place = defaultdict(list)
        for match in save.matches():
            for seat, agent in enumerate(match.agents):
                place = agent, seat, match.setting
                by_place[place].append(tuple(made[match.number, seat]))
    return by_place


def test_no_agent_repeats_its_moves_although_its_matches_share_a_seed(tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    create_save(path, tournament(tmp_path, COMMON))
    assert play(path).progress.done
    matches = in_save(path, Save.matches)
    assert len(matches) == 630
    assert len({match.seed for match in matches}) == 7
    for repeated in moves(path).values():
        assert len(repeated) == 15
        # 2^5 courses of 5 moves: 15 draws have about 12 of them.
        assert len(set(repeated)) >= 6


def test_every_match_has_dice_of_its_own(tmp_path: Path) -> None:
    games = f'{DILEMMA}{DILEMMA}{DILEMMA}rounds = 3\n[[games]]\nname = "donation"\n'
    read = tournament(tmp_path, f'name = "x"\nseeding = "common"\nrepetitions = 2\n{games}{SIX}')
    for plan in (read, replace(read, seeding="independent")):
        drawn = [draws(stored(match).dice(3, Seat(0), 1)) for match in schedule(plan)]
        assert len(set(drawn)) == len(drawn) > 3000


def test_tries_seats_and_asks_have_other_dice(tmp_path: Path) -> None:
    match = stored(next(schedule(tournament(tmp_path, COMMON))))
    places = list(product((0, 1), map(Seat, (0, 1)), (1, 2)))
    assert len({draws(match.dice(*place)) for place in places}) == 8
    assert draws(match.dice(0, Seat(1), 1)) == draws(match.dice(0, Seat(1), 1))
