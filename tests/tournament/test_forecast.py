"""The expected time left: asks left over those that went by in a second of running lately."""

from tournament.forecast import Forecast


def looked(asks: int, *looks: tuple[float, int, bool]) -> float | None:
    """What the last of these looks (moment, answers so far, running) foresees."""
    forecast = Forecast(asks)
    return [forecast.look(*look) for look in looks][-1]


def test_it_is_the_asks_left_over_the_rate_so_far() -> None:
    # 20 answers in 2 seconds; 100 - 20 are left.
    assert looked(100, (0, 0, True), (1, 4, True), (2, 20, True)) == 8.0


def test_before_anything_went_by_nothing_can_be_foreseen() -> None:
    assert looked(100, (0, 0, True)) is None
    assert looked(100, (0, 0, True), (1, 0, True)) is None


def test_while_paused_nothing_is_foreseen() -> None:
    assert looked(100, (0, 0, True), (1, 10, True), (2, 10, False)) is None


def test_a_pause_and_the_steps_taken_in_it_change_no_rate() -> None:
    looks = [(0, 0, True), (1, 10, True), (2, 10, False), (1000, 15, False), (1001, 15, True)]
    # 10 a second as before; 100 - 15 are left.
    assert looked(100, *looks) == 8.5


def test_what_is_longer_ago_than_half_a_minute_of_running_does_not_count() -> None:
    slow = [(float(second), second, True) for second in range(61)]  # one a second, and then
    quick = [(60.0 + n, 60 + 10 * n, True) for n in range(1, 31)]  # ten a second
    assert looked(1360, *slow, *quick) == 100.0  # 360 are done; 1000 are left


def test_answers_that_come_more_rarely_than_that_are_counted_over_all_the_running_time() -> None:
    looks = [(float(second), int(second >= 50), True) for second in range(101)]
    assert looked(4, *looks) == 300.0  # one in 100 seconds; three are left


def test_where_matches_take_longer_than_expected_it_ends_at_nothing() -> None:
    assert looked(10, (0, 0, True), (1, 12, True)) == 0.0
