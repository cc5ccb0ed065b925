"""The plain lines of progress."""

import pytest

from parlour.cli.progress import held_up


@pytest.mark.parametrize(
    ("limits", "parked", "said"),
    [
        ([], {}, ""),
        (["ada: waits 3 s"], {}, "; ada: waits 3 s"),
        ([], {"1": "server: HTTP 201", "2": "budget"}, "; 2 parked: server: HTTP 201"),
        (["a"], dict.fromkeys("12345", "auth"), "; a; 5+ parked: auth"),
    ],
)
def test_what_holds_matches_up_is_told_shortly(
    limits: list[str], parked: dict[str, str], said: str
) -> None:
    assert held_up({"limits": limits, "parked": parked}) == said
