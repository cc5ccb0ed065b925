"""Endpoints: one server is one endpoint, however its address is spelt."""

import pytest

from parlour.agents.llm.endpoints import Endpoint, normalized
from parlour.tournament.calls.limits import _shown

ONE = "http://localhost:8000/v1"


@pytest.mark.parametrize(
    ("spelt", "one"),
    [
        *((each, ONE) for each in (ONE, f"{ONE}/", "HTTP://LocalHost:8000/v1", f"{ONE}//")),
        ("https://api.example.org:443/v1", "https://api.example.org/v1"),
        ("http://[::1]:80/v1", "http://[::1]/v1"),
        *(
            (each, each)
            for each in ("openai", "http://localhost:8000/V1", "http://[::1", "http://x:y")
        ),
    ],
)
def test_spellings_of_one_address_are_one_endpoint_and_others_stay_themselves(
    spelt: str, one: str
) -> None:
    assert normalized(spelt) == one


def test_a_name_on_the_screen_has_what_tells_it_from_others() -> None:
    one, keyed = Endpoint(ONE, None), Endpoint(ONE, "KEY")
    beside = Endpoint("http://localhost:8000/v2", None)
    assert _shown(one, [one]) == "localhost:8000"
    shown = [_shown(each, [one, keyed]) for each in (one, keyed)]
    assert shown == ["localhost:8000 (no key named)", "localhost:8000 (KEY)"]
    shown = [_shown(each, [one, beside]) for each in (one, beside)]
    assert shown == ["localhost:8000/v1", "localhost:8000/v2"]
