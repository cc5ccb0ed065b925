"""The plain lines of progress."""

import pytest

from parlour.cli.progress import held_up
from parlour.tournament.control.status import RunnerStatus


@pytest.mark.parametrize(
    ("limits", "parked", "said"),
    [
        ([], {}, ""),
        (["ada: paused for 3 s"], {}, "; ada: paused for 3 s"),
        ([], {1: "server: HTTP 201", 2: "budget"}, "; 2 parked: server: HTTP 201"),
        (["a"], dict.fromkeys(range(1, 6), "auth"), "; a; 5+ parked: auth"),
    ],
)
def test_what_holds_matches_up_is_said_in_few_words(
    limits: list[str], parked: dict[int, str], said: str
) -> None:
    assert held_up(RunnerStatus(state="running", limits=limits, parked=parked)) == said
