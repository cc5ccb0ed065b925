"""Endpoints: one server is one endpoint, however its address is spelt."""

import pytest

from parlour.agents.llm.endpoints import Endpoint, normalized
from parlour.tournament.calls.limits import _shown

ONE = "http://localhost:8000/v1"


@pytest.mark.parametrize(
    "spelt", [ONE, f"{ONE}/", "HTTP://LocalHost:8000/v1", "http://LOCALHOST:8000/v1//"]
)
def test_spellings_of_one_address_are_one_endpoint(spelt: str) -> None:
    assert normalized(spelt) == ONE


def test_the_usual_port_may_be_left_out() -> None:
    assert normalized("https://api.example.org:443/v1") == normalized("https://api.example.org/v1")
    assert normalized("http://[::1]:80/v1") == "http://[::1]/v1"


@pytest.mark.parametrize(
    "other", ["openai", "http://localhost:8000/V1", "http://[::1", "http://x:y"]
)
def test_what_is_another_place_or_none_stays_itself(other: str) -> None:
    assert normalized(other) == other


def test_a_name_on_the_screen_has_what_tells_it_from_others() -> None:
    one, keyed = Endpoint(ONE, None), Endpoint(ONE, "KEY")
    beside = Endpoint("http://localhost:8000/v2", None)
    assert _shown(one, [one]) == "localhost:8000"
    assert [_shown(each, [one, keyed]) for each in (one, keyed)] == [
        "localhost:8000 (no key named)",
        "localhost:8000 (KEY)",
    ]
    assert [_shown(each, [one, beside]) for each in (one, beside)] == [
        "localhost:8000/v1",
        "localhost:8000/v2",
    ]
