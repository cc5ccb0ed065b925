"""`audit` as a user types it: the plan, the play, the report, and what is refused."""

from pathlib import Path

import pytest

from parlour.api.auditing import audited
from parlour.games.engine.wordings import parted, wordings_of
from parlour.tournament.plan.schedule import schedule
from parlour.tournament.save.reader import Save
from tests.models import models, provider
from tests.tournaments import (
    printed,
    printed_json,
    printed_rows,
    refused,
    scripted,
    tournament,
    written,
)

GAMES = """
name = "study"
seed = 5
[[games]]
name = "undercover"
limit = 5
clue_rounds = 1
[[games]]
name = "prisoners_dilemma"
rounds = 2
[[games]]
name = "donation"
agents_per_match = 3
"""
ELSE = "leave it out, or choose: --wording again --wording reversed --wording renamed"
ALL = {"undercover": 7, "prisoners_dilemma": 8, "donation": 8}


def test_the_plan_has_each_match_in_every_wording_with_the_same_seats_and_seed(
    tmp_path: Path,
) -> None:
    plan = audited(tournament(tmp_path, GAMES + scripted(Ada="random", Bob="random", Cy="random")))
    played: dict[tuple[object, ...], list[str]] = {}
    for match in schedule(plan):
        key = match.game, match.setting_key, match.seed, match.agents, match.counted
        played.setdefault(key, []).append(parted(match.condition)[0])
    assert {(key[0], len(of)) for key, of in played.items()} == set(ALL.items())
    for (game, *_), of in played.items():
        (entry,) = {entry.game for entry in plan.games if entry.game.name == game}
        assert sorted(of) == sorted(wordings_of(entry))


def test_choices_have_one_order_in_all_wordings_and_scripted_players_the_same_dice(
    tmp_path: Path,
) -> None:
    written(tmp_path, GAMES + scripted(Ada="random", Bob="random"))
    printed("audit", "tournament.toml", "--save", "audit.db", "--plain", cwd=tmp_path)
    orders: dict[tuple[object, ...], set[int]] = {}
    with Save(tmp_path / "audit.db") as save:
        for match in save.matches("finished"):
            key = match.game, match.setting_key, match.seed, match.agents
            orders.setdefault(key, set()).add(match.choice_order(3, 1))  # type: ignore[arg-type]
    assert {len(of) for of in orders.values()} == {1}
    assert len(set().union(*orders.values())) == len(orders)
    body = printed_json("audit", "audit.db", cwd=tmp_path)
    # Scripted players do not notice the wording.
    assert {each["value"] for each in body if each["kind"] != "share"} == {0}


def test_a_model_that_answers_by_its_prompt_changes_in_other_words_and_not_again(
    tmp_path: Path,
) -> None:
    with provider(tmp_path) as server:
        written(
            tmp_path, GAMES + models(server.base, {"Mo": "stream = false"}) + scripted(Rob="random")
        )
        words = ["audit", "tournament.toml", "--save", "audit.db"]
        text = printed(*words, "--plain", cwd=tmp_path)
        for title in ("Shares of variance", "Choices changed", "Pairs of agents"):
            assert title in text
    rows = printed_rows("audit", "audit.db", cwd=tmp_path)
    changed = {
        (row["game"], row["wording"]): float(row["value"])
        for row in rows
        if (row["kind"], row["agent"]) == ("choices", "Mo")
    }
    assert {game.partition(" ")[0] for game, _ in changed} == set(ALL)
    for (game, wording), share in changed.items():
        if not game.startswith("undercover"):  # it names players by chance
            assert (share > 0) == (wording != "again")
    # With the same words and the same dice of Rob, nothing changes.
    assert {share for (_, wording), share in changed.items() if wording == "again"} == {0}
    assert "changed: 2 texts" not in text
    printed("check", "audit.db", "--prompts", cwd=tmp_path)
    body = printed_json("audit", "audit.db", cwd=tmp_path)
    assert {each["kind"] for each in body} == {"share", "change", "choices", "flips"}
    assert {each["factor"] for each in body} >= {"wording", "agent × wording", "seed"}


def test_a_dry_run_counts_and_plays_nothing(tmp_path: Path) -> None:
    written(tmp_path, GAMES + scripted(Ada="random", Bob="random"))
    line = printed("audit", "tournament.toml", "--dry-run", cwd=tmp_path).splitlines()[0]
    # 5 settings × 2 sides × 7, 7 × 6 seats × 8, 1 × 8.
    assert line.startswith(f"audit of study: {10 * 7 + 42 * 8 + 8} matches in ")
    only = printed("audit", "tournament.toml", "--dry-run", "--wording=renamed", cwd=tmp_path)
    assert only.startswith(f"audit of study: {2 * (10 + 42 + 1)} matches in ")
    assert not list(tmp_path.glob("**/*.db"))


DONATION = '[[games]]\nname = "donation"\n'
FAY = '[[agents]]\nname = "Fay"\nkind = "function"\nfunction = "fay.py:answer"\n'
PARAPHRASE = "wording = 'paraphrase' needs"


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (
            '[[games]]\nname = "chameleon"\nlanguage = "german"\n',
            f"game 'chameleon': {PARAPHRASE} language = 'english'; {ELSE}",
        ),
        (
            f'{DONATION}wording = "neutral"\n',
            "game 'donation': has a wording already; leave out wording",
        ),
        (
            f'{DONATION}mechanism = "contract"\n',
            f"game 'donation': {PARAPHRASE} mechanism = 'none'; {ELSE}",
        ),
        (
            models("http://127.0.0.1:9/v1", {"Mo": 'wording = "short"'}),
            "agent 'Mo': wording: cannot be 'short' where 'undercover' has wording = 'again';"
            " leave one of them out",
        ),
        (
            models("http://127.0.0.1:9/answer", {"Mo": 'client = "http"'}),
            "agent 'Mo': gets no prompts, so it cannot play 'undercover' with wording = 'again';"
            " leave one of them out",
        ),
        (
            FAY,
            "agent 'Fay': gets the game's own words and order, so it cannot play 'undercover' with"
            " wording = 'neutral'; leave one of them out",
        ),
    ],
)
def test_what_cannot_be_audited_is_refused(tmp_path: Path, more: str, line: str) -> None:
    written(tmp_path, "def answer(question): return {}", "fay.py")
    written(tmp_path, GAMES + more + scripted(Ada="random", Bob="random"))
    assert refused("audit", "tournament.toml", cwd=tmp_path) == f"parlour: {line}"


def test_a_key_of_the_game_and_a_mechanism_exclude_each_other(tmp_path: Path) -> None:
    block = '[[games]]\nname = "donation"\nwording = "neutral"\nmechanism = "contract"\n'
    written(tmp_path, 'name = "x"\n' + block + scripted(Ada="random", Bob="random"))
    line = refused("plan", "tournament.toml", cwd=tmp_path)
    assert "wording = 'neutral' needs mechanism = 'none'" in line
