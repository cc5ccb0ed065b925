"""The doctor tries each model with a cheap call, then finds out what its server can do."""

from pathlib import Path

import pytest

from tests.models import clean_environment, provider
from tests.tournament.test_journal import planned
from tests.tournaments import parlour, written


@pytest.mark.parametrize("carrier", ["openai", pytest.param("litellm", marks=pytest.mark.soak)])
def test_a_model_that_answers_is_well_and_its_server_is_known(tmp_path: Path, carrier: str) -> None:
    with provider(tmp_path) as server:
        text = planned(server, 1, f'client = "{carrier}"').replace('model = "', 'model = "openai/')
        done = parlour(
            "doctor", written(tmp_path, text), cwd=tmp_path, env=clean_environment(tmp_path)
        )
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("Ada", "Bob"):
        line, *more = [line for line in done.stdout.splitlines() if f"'{name}'" in line]
        assert line.startswith(f"ok    agent '{name}' answers: ")
        assert line.endswith(" s, 100 + 20 tokens, $0.000300")  # 100 × $1 and 20 × $10 a million
        assert f"ok    agent '{name}': JSON schema: enforced" in more
        assert "it is asked with 'schema', enforced by the server; kept in " in more[-1]


@pytest.mark.parametrize(
    ("mode", "finding"),
    [
        ("wrong_key", "auth: HTTP 401: "),
        ("server_error", "server: HTTP 500: "),
        ("prose", 'answered, but unparsable: it wrote "Let me'),
    ],
)
def test_a_model_that_fails_needs_a_fix(tmp_path: Path, mode: str, finding: str) -> None:
    with provider(tmp_path, "--faults", 1, "--modes", mode) as server:
        written(tmp_path, planned(server))
        done = parlour("doctor", "tournament.toml", cwd=tmp_path, env=clean_environment(tmp_path))
    assert (done.returncode, done.stderr) == (1, "")
    lines = [line for line in done.stdout.splitlines() if line.startswith("FIX")]
    assert [line.split("'", 2)[1] for line in lines] == ["Ada", "Bob"]
    assert all(finding in line for line in lines)


def test_a_key_that_is_not_set_is_one_finding_among_the_others(tmp_path: Path) -> None:
    with provider(tmp_path) as server:
        text = planned(server).replace('"Ada"', '"Ada"\napi_key_env = "NOWHERE_KEY"')
        written(tmp_path, text)
        done = parlour("doctor", "tournament.toml", cwd=tmp_path, env=clean_environment(tmp_path))
    assert (done.returncode, done.stderr) == (1, "")
    assert "FIX   agent 'Ada': key NOWHERE_KEY: is not set; " in done.stdout
    assert "ok    agent 'Bob' answers: " in done.stdout
