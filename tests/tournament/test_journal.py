"""A tournament of models: the journal is the server's own log, and no key is anywhere."""

import json
import sqlite3
import subprocess
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from parlour.tournament.save.reader import Save
from tests.models import Served, clean_environment, models, provider
from tests.provider import ANSWER_FAULTS, ODD_ANSWERS, PROVIDER_FAULTS
from tests.tournaments import in_save, parlour, written

GAMES = {
    "undercover": 'name = "undercover"\nlimit = 1\nclue_rounds = 1\nprobes = "off"',
    "donation": 'name = "donation"\nagents_per_match = 4',
}


def planned(server: Served, repetitions: int = 1, more: str = "", games: Any = GAMES) -> str:
    """Two models of that server, playing those games."""
    blocks = "".join(f"[[games]]\n{GAMES[game]}\n" for game in games)
    keys = f"timeout = 60.0\nretries = 12\nprices = [1.0, 10.0]\n{more}"
    agents = models(server.base, dict.fromkeys(("Ada", "Bob"), keys))
    return f'name = "models"\nseed = 5\nrepetitions = {repetitions}\n{blocks}{agents}'


def rows(save: Path, sql: str) -> list[dict[str, Any]]:
    """Rows of a query on a save."""
    connection = sqlite3.connect(f"{save.as_uri()}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in connection.execute(sql)]
    finally:
        connection.close()


def run(
    folder: Path, text: str, *options: object, seconds: int = 120, **env: str
) -> subprocess.CompletedProcess[str]:
    """Plays a tournament in a process of its own."""
    return parlour(
        "run",
        written(folder, text),
        "--save",
        folder / "save.db",
        "--plain",
        *options,
        cwd=folder,
        env=clean_environment(folder, **env),
        timeout=seconds,
    )


def agree(save: Path, server: Served) -> Counter[str]:
    """Holds the journal against the server's log; the modes that were met."""
    log = server.requests
    calls = rows(save, "SELECT * FROM calls ORDER BY seq")
    assert len(calls) == len(log)
    answered = {int(c["provider_id"].rpartition("-")[2]): c for c in calls if not c["failure"]}
    good = {line["number"]: line for line in log if line["mode"] not in PROVIDER_FAULTS}
    assert answered.keys() == good.keys()
    for number, line in good.items():
        assert answered[number]["model"].removeprefix("openai/") == line["model"]
    made = Counter(PROVIDER_FAULTS[line["mode"]] for line in log if line["mode"] in PROVIDER_FAULTS)
    assert Counter(c["failure"] for c in calls if c["failure"]) == made
    # The last try of each answer was what the server made it.
    last = {(c["match"], c["ask"], c["seat"]): n for n, c in answered.items()}
    last_tries = {key: answered[n]["try"] for key, n in last.items()}
    for number, call in answered.items():
        key = _place(call)
        if call["try"] >= last_tries[key]:
            last[key], last_tries[key] = number, call["try"]
    for answer in rows(save, "SELECT * FROM answers"):
        key = _place(answer)
        assert answer["fault"] == ANSWER_FAULTS.get(good[last[key]]["mode"]), answer
        assert answer["tries"] == last_tries[key]
    return Counter(line["mode"] for line in log)


def _place(row: dict[str, Any]) -> tuple[int, int, int]:
    return row["match"], row["ask"], row["seat"]


def test_a_tournament_of_models_keeps_every_request_that_the_server_got(tmp_path: Path) -> None:
    faults = ",".join([*ANSWER_FAULTS, *ODD_ANSWERS, "server_error", "html", "drop", "no_choice"])
    with provider(tmp_path, "--faults", 0.5, "--modes", faults) as server:
        done = run(tmp_path, planned(server, 4))
        assert (done.returncode, done.stderr) == (0, "")
        save = tmp_path / "save.db"
        modes = agree(save, server)
        assert {*ANSWER_FAULTS, *ODD_ANSWERS, "server_error", "html", "drop"} <= modes.keys()
        checked = parlour("check", save, cwd=tmp_path)
        assert checked.stdout.endswith(". OK: every match replays identically\n")
    calls = rows(save, "SELECT * FROM calls")
    spent = in_save(save, Save.spent)
    answered = sum(call["failure"] is None for call in calls)
    assert (spent.calls, spent.failed_calls) == (len(calls), len(calls) - answered)
    assert (spent.prompt_tokens, spent.completion_tokens) == (100 * answered, 20 * answered)
    assert spent.dollars == pytest.approx(answered * 300 / 1_000_000)
    templates = rows(save, "SELECT * FROM templates")
    used = set(chain.from_iterable(json.loads(call["templates"]) for call in calls))
    assert {t["digest"] for t in templates} == used
    assert len({t["text"] for t in templates}) == len(templates) > 4


def test_a_second_try_names_the_problem_and_does_not_quote_the_answer(tmp_path: Path) -> None:
    from parlour.agents.base import Call
    from parlour.agents.llm.agent import LLMAgent
    from parlour.agents.llm.http_clients import OpenAIClient
    from parlour.games.engine.dice import Dice
    from parlour.games.engine.moves import Fault, FaultKind
    from parlour.games.engine.registry import find_game
    from parlour.games.engine.table import Table
    from tests.models import config

    game = find_game("undercover", "test")
    setting = game.make_setting(game.shipped()[0], game.variant())
    table = Table(game, setting, game.seats(setting), 1)
    ask, own = table.pending, config("http://x/v1")
    assert ask is not None
    agent = LLMAgent(own, OpenAIClient(own))
    fault = Fault(FaultKind.ILLEGAL, "the clue is blank")
    view = table.view(ask.seats[0])
    first = agent.request(ask, view, Call(Dice(1)))
    second = agent.request(ask, view, Call(Dice(1), (("what I said", fault),)))
    assert [role for role, _text in first.messages] == ["system", "user"]
    assert second.messages[0] == first.messages[0]
    (_, question), (_, again) = first.messages[1], second.messages[1]
    problem = "that answer could not be used: the clue is blank."
    assert again.startswith(f"{question}\n\nYou have answered this before, and {problem}")
    assert "what I said" not in again
    assert first.digest() != second.digest()


def test_a_missing_key_is_refused_in_one_line_before_anything_is_asked(tmp_path: Path) -> None:
    with provider(tmp_path) as server:
        done = run(tmp_path, planned(server, 1, 'api_key_env = "NOWHERE_KEY"'))
        assert done.returncode == 2
        assert done.stderr.startswith("parlour: key NOWHERE_KEY: is not set; ")
        assert done.stderr.count("\n") == 1
        assert server.requests == []
    assert not (tmp_path / "save.db").exists()


CANARY = "sk-canary/7f3a+9921=bb"


def test_a_keys_file_that_others_can_read_is_refused_without_a_word_of_it(tmp_path: Path) -> None:
    keys = tmp_path / "config" / "parlour" / "keys.toml"
    keys.parent.mkdir(parents=True)
    keys.write_text(f'A_KEY = "{CANARY}"\n')
    keys.chmod(0o640)
    with provider(tmp_path) as server:
        done = run(tmp_path, planned(server))
        assert server.requests == []
    assert done.returncode == 2
    assert done.stderr == f"parlour: {keys}: can be read by others; run: chmod 600 {keys}\n"


@pytest.mark.parametrize(
    "line",
    [
        f'api_key = "{CANARY}"',
        f'api_key_env = "{CANARY}"',
        f'apikee = "{CANARY}"',
        f'parameters = {{ api_key = "{CANARY}" }}',
        f'parameters = {{ extra_headers = {{ Authorization = "Bearer {CANARY}" }} }}',
        f'parameters = {{ extra_headers = {{ x-api-key = "{CANARY}" }} }}',
        f'for_ask = {{ vote = {{ token = "{CANARY}" }} }}',
        f'[[agents]]\nname = "C"\nkind = "llm"\nmodel = "m"\napi_base = "http://u:{CANARY}@x/v1"',
        f'[[agents]]\nname = "C"\nkind = "llm"\nmodel = "m"\napi_base = "http://x/v1?k={CANARY}"',
    ],
)
def test_a_key_in_a_tournament_file_is_refused_and_not_repeated(tmp_path: Path, line: str) -> None:
    done = run(tmp_path, planned(Served(9, tmp_path / "log"), 1, line))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "canary" not in done.stderr + done.stdout
    assert not (tmp_path / "save.db").exists()


def soak(
    tmp_path: Path, repetitions: int, seconds: int, modes: list[str], carrier: str = "openai"
) -> Counter[str]:
    """Two undercover matches a repetition, with three requests in ten gone wrong."""
    with provider(tmp_path, "--faults", 0.3, "--modes", ",".join(modes)) as server:
        text = planned(server, repetitions, f'client = "{carrier}"', games=["undercover"])
        if "hang" in modes:  # patient still: no good answer of a busy machine must pass for it
            limit = 4.0 if carrier == "openai" else 20.0
            text = text.replace("timeout = 60.0", f"timeout = {limit}")
        if carrier == "litellm":
            text = text.replace('model = "', 'model = "openai/')
        done = run(tmp_path, text, "--concurrency", 48, seconds=seconds)
        assert (done.returncode, done.stderr) == (0, "")
        save = tmp_path / "save.db"
        progress = in_save(save, Save.progress)
        assert progress.finished == progress.matches == 2 * repetitions
        return agree(save, server)


EVERY = [*ANSWER_FAULTS, *PROVIDER_FAULTS, *ODD_ANSWERS]


def test_sixty_matches_with_faults_all_end_as_the_server_made_them(tmp_path: Path) -> None:
    quick = [mode for mode in EVERY if mode != "hang"]
    assert soak(tmp_path, 30, 60, quick).total() > 360


@pytest.mark.soak
@pytest.mark.parametrize(("carrier", "repetitions"), [("openai", 1000), ("litellm", 100)])
def test_two_thousand_matches_with_faults_all_end_as_the_server_made_them(
    tmp_path: Path, carrier: str, repetitions: int
) -> None:
    met = soak(tmp_path, repetitions, 900, EVERY, carrier)
    assert met.keys() == {*EVERY, "good"}
    print(met)
