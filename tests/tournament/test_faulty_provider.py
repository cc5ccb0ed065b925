"""All nine games against a provider that fails three times in ten: no match is lost to it."""

import json
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from parlour.games.engine.registry import games
from parlour.tournament.reports.conduct import conduct
from tests.models import provider
from tests.provider import ANSWER_FAULTS, ODD_ANSWERS, PROVIDER_FAULTS
from tests.tournament.test_journal import agree, rows, run
from tests.tournaments import in_save, printed

GOSSIP = ("", "self_report = true", 'gossip = "binary"', 'monitoring = "public"')
"""Variants of the games of gossip, which have one setting each."""
SHARE = 0.3


def blocks(name: str) -> list[str]:
    """The blocks of a game that make four matches of it in each repetition."""
    seats = 4 if name == "impostor" else 3
    lineup = json.dumps([("Ada", "Bob")[seat % 2] for seat in range(seats)])
    head = f'[[games]]\nname = "{name}"\nlineup = {lineup}\n'
    if len(games()[name].shipped()) == 1:
        return [f"{head}agents_per_match = 3\n{keys}\n" for keys in GOSSIP]
    # The impostor sits in each of the four seats in turn.
    return [f"{head}limit = {1 if name == 'impostor' else 4}\n"]


def nine_games(base: str, repetitions: int, timeout: float) -> str:
    """Two models that play four matches of each game in each repetition."""
    agents = "".join(
        f'[[agents]]\nname = "{name}"\nkind = "llm"\nmodel = "{name.lower()}-1"\n'
        f'api_base = "{base}"\ntimeout = {timeout}\nretry_wait = 0.01\nretries = 12\n'
        for name in ("Ada", "Bob")
    )
    played = "".join(chain.from_iterable(map(blocks, games())))
    return f'name = "nine"\nseed = 5\nrepetitions = {repetitions}\n{played}{agents}'


def play_nine(folder: Path, repetitions: int, timeout: float, modes: list[str]) -> list[str]:
    """Plays them against a server with those faults, and holds all that is stored against it.

    The classes of the answers for which a fallback stands.
    """
    options = ("--faults", SHARE, "--modes", ",".join(modes))
    with provider(folder, *options) as server:
        done = run(folder, nine_games(server.base, repetitions, timeout), seconds=1200)
        assert (done.returncode, done.stderr) == (0, "")
        save = folder / "save.db"
        met = agree(save, server)
    assert met.keys() == {"good", *modes}
    faulty = 1 - met["good"] / met.total()
    assert faulty == pytest.approx(SHARE, abs=0.05)
    over = Counter(row["game"] for row in rows(save, "SELECT game FROM matches WHERE outcome > ''"))
    assert over == dict.fromkeys(games(), 4 * repetitions)
    assert rows(save, "SELECT * FROM matches WHERE frozen IS NOT NULL OR outcome IS NULL") == []
    agents = in_save(save, conduct)
    # Each attempt is counted once, by what the server made of it.
    assert sum(one.calls for one in agents) == met.total()
    assert sum(one.retries for one in agents) == sum(met[mode] for mode in PROVIDER_FAULTS)
    assert sum(one.repairs for one in agents) > 0
    faults = [row["fault"] for row in rows(save, "SELECT fault FROM answers WHERE fault > ''")]
    assert sum((Counter(one.faults) for one in agents), Counter()) == Counter(faults)
    assert printed("check", save, cwd=folder).endswith(". OK: every match replays identically\n")
    return faults


@pytest.mark.slow
def test_of_four_matches_of_each_game_none_is_lost_to_a_faulty_provider(tmp_path: Path) -> None:
    # Without what takes seconds by its nature.
    modes = [mode for mode in (*ANSWER_FAULTS, *PROVIDER_FAULTS, *ODD_ANSWERS) if mode != "hang"]
    faults = play_nine(tmp_path, 1, 20.0, modes)
    assert set(faults) <= set(ANSWER_FAULTS.values())  # three in a row are rare among so few


@pytest.mark.soak
@pytest.mark.timeout(1500)
def test_of_a_hundred_matches_of_each_game_none_is_lost_to_a_faulty_provider(
    tmp_path: Path,
) -> None:
    others = [mode for mode in (*ANSWER_FAULTS, *PROVIDER_FAULTS, *ODD_ANSWERS) if mode != "hang"]
    # One hang for three of each other kind: it takes as long as the client is patient.
    faults = play_nine(tmp_path, 25, 10.0, [*others * 3, "hang"])
    assert len(faults) > 1
    assert set(faults) <= set(ANSWER_FAULTS.values())
