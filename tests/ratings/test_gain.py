"""The gain in radar area: by hand, the same from both sides, and never without a capability."""

from itertools import product
from math import pi, sin

import pytest

from parlour.games.engine.record import MatchRecord
from parlour.ratings.comparison.comparison import compare
from parlour.ratings.comparison.gain import CAPABILITIES, gain_in_area, missing
from parlour.ratings.comparison.pairing import MatchCount, Pair, PairKey
from tests.ratings.records import drawn, numbered
from tests.ratings.test_magic import AREAS, TABLE_1

WHOLE = 7 / 2 * sin(2 * pi / 7)
"""The area of an agent whose capabilities are all 1: 2.736."""


def key(setting: str, role: str = "") -> PairKey:
    return PairKey("undercover", "", setting, "", role)


def pair(first: float, second: float) -> Pair:
    return [MatchCount(1, first, 1)], [MatchCount(2, second, 1)]


Pairs = dict[tuple[str, str | None], dict[PairKey, Pair]]


def at_once(*clusters: tuple[float, float]) -> Pairs:
    """Pairs that are the same in every capability, one a cluster."""
    of_each = {key(str(number)): pair(*each) for number, each in enumerate(clusters)}
    return {(name, None): dict(of_each) for name in CAPABILITIES}


def test_the_gain_of_one_row_of_the_papers_table_on_another() -> None:
    rows = zip(CAPABILITIES, TABLE_1["GPT o1"], TABLE_1["Llama-2-70B"], strict=True)
    gain = gain_in_area(
        {(name, None): {key("one"): pair(one / 100, other / 100)} for name, one, other in rows}
    )
    assert gain is not None
    assert gain.one == pytest.approx(AREAS["GPT o1"], abs=0.0005)
    assert gain.other == pytest.approx(AREAS["Llama-2-70B"], abs=0.0005)
    assert gain.value == pytest.approx(0.976, abs=0.001)
    # A single cluster has nothing to be drawn from.
    assert (gain.low, gain.high, gain.clusters) == (None, None, 1)


def test_pairs_weigh_the_same_and_an_area_grows_with_the_square() -> None:
    # Means of 1, 0 and of ½, ½: both ½, a quarter of the whole area; the other never does.
    for clusters in ([(1, 0), (0, 0)], [(0.5, 0), (0.5, 0)]):
        gain = gain_in_area(at_once(*clusters))
        assert gain is not None
        assert (gain.one, gain.other) == pytest.approx((WHOLE / 4, 0))
        assert gain.value == pytest.approx(WHOLE / 4)


def test_clusters_are_drawn_for_all_capabilities_together() -> None:
    # Two clusters are drawn as both of one, both of the other, or one of each. Were each
    # capability drawn by itself, the ends would almost never be reached.
    gain = gain_in_area(at_once((1, 0), (0, 0)))
    assert gain is not None
    assert (gain.low, gain.high) == pytest.approx((0, WHOLE))
    assert gain.clusters == 2


def test_matches_of_a_place_are_one_rate() -> None:
    # 3 of 4 and 0 of 2, not the mean of 1, 1, 1, 0 twice over: ¾ of each capability.
    counts = [MatchCount(1, 2, 2), MatchCount(2, 1, 2)]
    gain = gain_in_area(
        {(name, None): {key("one"): (counts, [MatchCount(3, 0, 2)])} for name in CAPABILITIES}
    )
    assert gain is not None
    assert gain.one == pytest.approx(WHOLE * 9 / 16)


@pytest.mark.parametrize("lacking", CAPABILITIES)
def test_without_one_of_the_capabilities_there_is_no_gain(lacking: str) -> None:
    pairs = at_once((1, 0), (0, 1))
    del pairs[lacking, None]
    assert gain_in_area(pairs) is None
    assert missing(pairs) == (lacking,)


MAGIC = ("chameleon", "undercover", "cost_sharing", "prisoners_dilemma", "public_good")


def season(*names: str) -> list[MatchRecord]:
    """x and y in each other's place on eight settings of these games; x alone blunders."""
    return numbered(
        drawn(name, order, seed, 0.6 if order == "yxy" and seed % 2 else 0.05)
        for name, seed, order in product(names, range(8), ("xyx", "yxy"))
    )


def test_seen_from_the_other_agent_only_the_sign_changes() -> None:
    one, other = (compare(season(*MAGIC), *names) for names in ("xy", "yx"))
    gain, opposite = one.gain, other.gain
    assert gain is not None
    assert opposite is not None
    assert gain.value == gain.one - gain.other == -opposite.value != 0
    assert (gain.one, gain.other) == (opposite.other, opposite.one)
    ends = (gain.low, gain.high, opposite.low, opposite.high)
    assert None not in ends
    assert ends[:2] == (-ends[3], -ends[2])  # type: ignore[operator]
    assert gain.low < gain.value < gain.high  # type: ignore[operator]
    # All eight settings of all five games hang together by themselves.
    assert gain.clusters == 5 * 8
    assert one.missing == other.missing == ()


def test_the_order_of_the_matches_does_not_matter() -> None:
    matches = season(*MAGIC)
    assert compare(matches[::-1], "x", "y").gain == compare(matches, "x", "y").gain


def test_the_gain_is_of_the_usual_family_alone_and_what_it_lacks_is_named() -> None:
    assert compare(season(*MAGIC), "x", "y", ["judgment"]).gain is None
    assert compare(season(*MAGIC), "x", "y", ["judgment"]).missing == ()
    comparison = compare(season(*MAGIC[:2], "public_good"), "x", "y")
    assert (comparison.gain, comparison.missing) == (None, ("cooperation", "coordination"))
