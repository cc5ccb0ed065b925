"""Calibration: each agent alone in all seats, and the settings whose roles come out even."""

import json
from pathlib import Path

import pytest

from parlour.api.calibrating import evenness, self_play
from parlour.cli.calibrate import calibrate
from parlour.games.chameleon import GAME
from parlour.games.chameleon.rules import Secret
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Outcome, Seat
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.tournament.plan.schedule import schedule, setting_key
from tests.tournaments import tournament

AGENTS = "".join(
    f'[[agents]]\nname = "{name}"\nstrategy = ["{name}", "fair"]\n'
    for name in ("random", "literal")
)
FILE = f'name = "x"\nseed = 2\n[[games]]\nname = "chameleon"\nlimit = 3\n{AGENTS}'
CREDITS = {"caught": (0, 2), "guessed": (1, 1), "escaped": (2, 0), "even": (1, 1)}


def secret(word: str) -> Secret:
    return Secret(topic="Sports", secret_word=word, chameleon_seat=0)


def ended(setting: Secret, ending: str) -> MatchRecord:
    """A match of chameleon in which seat 0 was the chameleon."""
    special, other = CREDITS[ending]
    roles = ("chameleon", "non_chameleon", "non_chameleon")
    outcome = Outcome(ending, (special, other, other), roles, roles)
    seats = (Seat(0), Seat(1), Seat(2))
    return MatchRecord(
        1, "chameleon", "", setting_key(setting), ("a", "a", "a"), seats, outcome, ()
    )


def test_each_agent_plays_every_candidate_alone_in_all_seats(tmp_path: Path) -> None:
    plan = self_play(GAME, tournament(tmp_path, FILE), None, matches=4)
    matches = list(schedule(plan))
    assert len(matches) == 2 * 3 * 4  # agents, settings, matches of each
    assert {match.agents for match in matches} == {("random",) * 3, ("literal",) * 3}


def test_the_most_even_come_first_and_of_equals_the_earlier() -> None:
    one, two, three = secret("skiing"), secret("rowing"), secret("chess")
    played = [
        # skiing: the chameleon takes 0 and 2 of 2, the others 2 and 0: even.
        *(ended(one, "caught"), ended(one, "escaped")),
        # rowing: 2 and 1 of 2 for the chameleon, 0 and 1 for the others: .75 against .25.
        *(ended(two, "escaped"), ended(two, "even")),
        # chess: 1 of 2 each: even, but later in the file.
        *(ended(three, "guessed"), ended(three, "even")),
    ]
    ranked = evenness(GAME, [two, one, three], played)
    assert [(each.record, each.gap, each.matches) for each in ranked] == [
        (one, 0.0, 2),
        (three, 0.0, 2),
        (two, 0.5, 2),
    ]
    assert ranked[2].shares == {"chameleon": 0.75, "non_chameleon": 0.25}


def test_the_command_writes_a_settings_file_that_the_game_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.toml").write_text(FILE, encoding="utf-8")
    save, out = tmp_path / "c.db", tmp_path / "even.json"

    def calibrated() -> int:
        return calibrate(
            "chameleon", tmp_path / "t.toml", None, None, 2, 2, None, save, out, concurrency=8
        )

    assert calibrated() == 0
    assert len(GAME.records(out)) == 2
    assert "2 of 3 settings, the most even first" in capsys.readouterr().out
    first = json.loads(out.read_text(encoding="utf-8"))
    with pytest.raises(BadInput, match="already exists"):
        calibrated()
    out.unlink()
    assert calibrated() == 0  # from the same save: nothing is played again
    assert json.loads(out.read_text(encoding="utf-8")) == first


@pytest.mark.parametrize(
    ("game", "problem"),
    [
        ("public_good", "'public_good' has only one role"),
        ("undercover", "'fair' cannot play 'undercover'"),
    ],
)
def test_what_cannot_be_calibrated_is_refused(tmp_path: Path, game: str, problem: str) -> None:
    agents = '[[agents]]\nname = "f"\nstrategy = "fair"\n'
    text = f'name = "x"\n[[games]]\nname = "cost_sharing"\nlineup = ["f","f","f"]\n{agents}'
    with pytest.raises(BadInput, match=problem):
        self_play(find_game(game, "test"), tournament(tmp_path, text), None, 1)
