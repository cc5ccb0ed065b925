"""Destinations: one function says which key of a model's block goes where."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pydantic import ValidationError

from parlour.agents.llm.destinations import (
    ANY_KEY,
    Destination,
    destinations,
    odd_parameters,
    providers,
)
from parlour.agents.llm.keys import hosts_by_key, read_keys
from parlour.agents.llm.litellm_patch import library
from parlour.games.common.errors import BadInput
from tests.models import config

ATTACKER = "http://attacker.example"


@pytest.fixture(autouse=True)
def _own_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for provider in providers().values():
        for key in provider.keys:
            monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123")


def keys_file(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "parlour" / "keys.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(0o600)
    return file


@pytest.mark.parametrize(
    ("key", "address", "is_meant"),
    [
        ("OPENAI_API_KEY", "https://api.openai.com", True),
        ("OPENAI_API_KEY", "https://API.OPENAI.COM:443", True),
        ("OPENAI_API_KEY", "http://api.openai.com", False),  # anybody on the way could read it
        ("OPENAI_API_KEY", "https://api.openai.com.attacker.example", False),
        ("OPENAI_API_KEY", "https://attacker.example", False),
        ("OPENAI_API_KEY", "https://api.anthropic.com", False),
        ("OPENAI_API_KEY", "http://localhost:8000", False),
        ("AWS_SECRET_ACCESS_KEY", "https://api.openai.com", False),
        ("AZURE_API_KEY", "https://my-resource.openai.azure.com", True),
        ("AZURE_API_KEY", "https://a.b.openai.azure.com", False),
        ("AWS_BEARER_TOKEN_BEDROCK", "https://x.s3.amazonaws.com", False),
        ("ANTHROPIC_API_KEY", "anthropic", True),
        ("OPENAI_API_KEY", "anthropic", False),
        (ANY_KEY, "https://api.openai.com", False),
        (None, "anthropic", True),
        (None, "http://localhost:8000", True),
        (None, "http://127.0.0.1:8000", True),
        (None, "http://[::1]:8000", True),
        (None, "http://127.0.0.1.attacker.example", False),
        (None, ATTACKER, False),
    ],
)
def test_a_key_is_meant_for_its_providers_hosts_alone(
    key: str | None, address: str, is_meant: bool
) -> None:
    assert Destination(key, address).is_meant is is_meant


def test_the_keys_file_lists_more_hosts_for_a_key(tmp_path: Path) -> None:
    file = keys_file(
        tmp_path,
        'A_KEY = "secret"\n[hosts]\nA_KEY = ["Proxy.example", "127.0.0.1:8000"]\n'
        'MY_CLAUDE = ["api.anthropic.com"]\n',
    )
    assert read_keys(file) == {"A_KEY": "secret"}
    assert hosts_by_key(file)["A_KEY"] == ("proxy.example", "127.0.0.1:8000")
    assert Destination("A_KEY", "https://proxy.example:9").is_meant
    assert Destination("A_KEY", "http://127.0.0.1:8000").is_meant
    assert not Destination("A_KEY", "http://127.0.0.1:8001").is_meant
    assert not Destination("B_KEY", "https://proxy.example").is_meant
    assert Destination("MY_CLAUDE", "anthropic").is_meant
    assert not Destination("MY_CLAUDE", "openai").is_meant


@pytest.mark.parametrize("text", ["hosts = 3", "[hosts]\nA = 'host'", "[hosts]\nA = [1]"])
def test_hosts_of_another_form_are_refused(tmp_path: Path, text: str) -> None:
    file = keys_file(tmp_path, text)
    with pytest.raises(BadInput, match=r"keys.toml: hosts: is not a table of lists of hosts"):
        hosts_by_key(file)


@pytest.mark.parametrize(
    ("carrier", "model", "key", "keys"),
    [
        ("openai", "m", None, [None]),
        ("openai", "m", "A_KEY", ["A_KEY"]),
        ("http", "m", "A_KEY", ["A_KEY"]),
        ("litellm", "openai/m", "A_KEY", ["A_KEY"]),
        ("litellm", "openai/m", None, ["OPENAI_API_KEY"]),
        ("litellm", "anthropic/m", None, ["OPENAI_API_KEY", ANY_KEY]),  # its own is not set here
        ("litellm", "m", None, [ANY_KEY]),  # litellm takes the provider from the address
        ("litellm", "elsewhere/m", None, [ANY_KEY]),
    ],
)
def test_a_key_that_litellm_chooses_itself_is_seen(
    carrier: str, model: str, key: str | None, keys: list[str | None]
) -> None:
    block = config(f"{ATTACKER}:81/v1", carrier, model=model, api_key_env=key)
    assert [each.key for each in destinations(block)] == keys
    assert {each.address for each in destinations(block)} == {f"{ATTACKER}:81"}
    assert not any(each.is_meant for each in destinations(block))


def test_a_key_that_nobody_named_needs_consent_on_this_machine_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # litellm sends AWS's session token, for example, to a server that needs no key.
    monkeypatch.delenv("OPENAI_API_KEY")
    for model in ("anthropic/m", "bedrock/m", "azure_ai/m"):
        local = config("http://127.0.0.1:8000", "litellm", model=model)
        assert [(each.key, each.is_meant) for each in destinations(local)] == [(ANY_KEY, False)]


def test_a_providers_second_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    second = {"anthropic": "ANTHROPIC_AUTH_TOKEN", "openrouter": "OR_API_KEY"}
    for provider, key in {**second, "azure_ai": "AZURE_AD_TOKEN"}.items():
        monkeypatch.setenv(key, "sk-canary-4567")
        block = config(ATTACKER, "litellm", model=f"{provider}/m")
        assert [each.key for each in destinations(block)] == [key, "OPENAI_API_KEY"]


def test_without_an_address_the_provider_gets_its_own_key() -> None:
    for key, is_meant in ((None, True), ("ANTHROPIC_API_KEY", True), ("OPENAI_API_KEY", False)):
        block = config(None, "litellm", model="anthropic/claude", api_key_env=key)
        assert [each.is_meant for each in destinations(block)] == [is_meant]


@pytest.mark.parametrize(
    ("more", "names"),
    [
        ({"parameters": {"temperature": 1, "max_tokens": 9, "seed": 1}}, []),
        ({"parameters": {"aws_region_name": "us-east-1", "api_version": "2024-10-21"}}, []),
        ({"parameters": {"aws_region_name": "x.attacker.example/"}}, ["aws_region_name"]),
        ({"parameters": {"vertex_location": "attacker.example/?"}}, ["vertex_location"]),
        ({"parameters": {"azure_endpoint": ATTACKER}}, ["azure_endpoint"]),
        ({"parameters": {"extra_headers": {"Host": "x"}}}, ["extra_headers"]),
        ({"for_ask": {"vote": {"custom_llm_provider": "x"}}}, ["custom_llm_provider"]),
        ({"parameters": {"extra_body": {"region": "x"}}}, ["extra_body"]),
        ({"parameters": {"aws_bedrock_runtime_endpoint": "x"}}, ["aws_bedrock_runtime_endpoint"]),
        ({"model": f"huggingface/{ATTACKER}/x"}, ["model"]),
        ({"model": "bedrock/arn:aws:bedrock:attacker.example/:1:x"}, ["model"]),
        ({"model": "gemini/../../x"}, ["model"]),
        ({"model": "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0"}, []),
        ({"model": "openrouter/meta-llama/llama-3.3-70b-instruct:free"}, []),
    ],
)
def test_what_may_move_a_request_of_litellm_is_named(
    more: dict[str, Any], names: list[str]
) -> None:
    assert list(odd_parameters(config(None, "litellm", **more))) == names
    # The other clients send it as it stands, to the one address.
    assert list(odd_parameters(config(ATTACKER, "openai", **more))) == []


@pytest.mark.parametrize(
    "base",
    [
        "https://api.openai.com\\.attacker.example/v1",
        "https://api.openai.com\t.attacker.example",
        "https://аpi.openai.com/v1",  # noqa: RUF001 - a Cyrillic letter
        "https://user:key@attacker.example",
        "https://attacker.example/?k=$OPENAI_API_KEY",
        "https://$HOST/v1",
        "http://127.0.0.1:2375/containers/create?name=",
        "http://127.0.0.1:2375/containers/create#",
        "file:///etc/passwd",
    ],
)
def test_an_address_that_can_be_read_in_two_ways_is_refused(base: str) -> None:
    with pytest.raises(ValidationError, match="api_base"):
        config(base)


@pytest.mark.parametrize("value", ["os.environ/AWS_SECRET_ACCESS_KEY", "oidc/file//etc/passwd"])
def test_a_parameter_cannot_refer_to_the_environment(value: str) -> None:
    for parameters in ({"user": value}, {"metadata": {"deep": [value]}}):
        with pytest.raises(ValidationError, match="must not refer to the environment"):
            config(None, "litellm", parameters=parameters)


@pytest.mark.slow
def test_the_table_agrees_with_litellm(monkeypatch: pytest.MonkeyPatch) -> None:
    litellm, compared = library(), 0
    for name, provider in providers().items():
        assert name in litellm.provider_list
        key = provider.keys[0]
        monkeypatch.setenv(key, f"canary of {name}")
        _model, _name, dynamic_key, base = litellm.get_llm_provider(f"{name}/some-model")
        monkeypatch.delenv(key)
        if base is not None:
            assert provider.has(urlsplit(base).hostname), (name, base)
            compared += 1
        assert dynamic_key in {None, f"canary of {name}"}, name
    assert compared >= 8
