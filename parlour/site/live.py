"""The live page: what a run does now, in words and figures that hold no key, address or folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from statistics import median

from markupsafe import Markup

from parlour.games.engine.transcript import counted
from parlour.ratings.reports.leaderboard import Standing
from parlour.site.charts import interval_cell
from parlour.site.figures import signed
from parlour.site.findings import places_of
from parlour.site.frame import PageFrame, environment, render
from parlour.site.source import SiteSource
from parlour.site.standings import ends_of, strength_scale, suit
from parlour.site.wording import plain
from parlour.tournament.control.status import RunStatus
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.look.cast import Cast, ShownIdentity
from parlour.tui.models.game_names import game_title

MOST_ROWS = 20
"""The most matches at the table that are shown."""
SLOW = 4
"""A call that takes so many times the median is marked."""


@dataclass(frozen=True, slots=True)
class Now:
    """A run as its live page shows it.

    ``names`` are people: nothing of who is asked is told of their matches. ``over`` are the
    matches that were over last, newest first, each with the seconds since. ``begun`` has the phase
    of each match by its newest answer, and the share of its answers that are in. ``speed`` is in
    answers a second, over two minutes, and ``speeds`` over parts of these. ``moves`` are the
    places that agents have won in the last minute.
    """

    state: str
    run: RunStatus
    matches: Mapping[int, StoredMatch]
    over: Sequence[tuple[StoredMatch, float]] = ()
    names: frozenset[str] = frozenset()
    begun: Mapping[int, tuple[str, float]] = field(default_factory=dict)
    speed: float = 0.0
    speeds: Sequence[float] = ()
    moves: Mapping[str, int] = field(default_factory=dict)


def live_page(source: SiteSource, frame: PageFrame, now: Now) -> bytes:
    """The live page of a save."""
    body = live_body(source, now)
    title, words = "Live", {"body": body, "finding": first_line(now)}
    return render("live.html.j2", replace(frame, live=True), "live/", "live", title, **words)


def live_body(source: SiteSource, now: Now) -> str:
    """Everything below the first line, as HTML."""
    run, cast = now.run, source.cast
    open_calls = [call for call in run.open_calls if not _is_hidden(now, call.match)]
    ages = [call.age for call in open_calls]
    usual = median(ages) if ages else 0.0
    models = {agent.name: agent.model for agent in source.tournament.models.values()}
    calls = [
        (cast[call.agent], models.get(call.agent, ""), now.begun.get(call.match, ("match", 0))[0],
         call.match, call.seat + 1, f"{call.age:.1f} s", len(ages) > 2 and call.age > SLOW * usual)
        for call in sorted(open_calls, key=lambda call: -call.age)[:MOST_ROWS]
    ]  # fmt: skip
    shown = sorted(set(run.waiting) & set(now.matches))[-MOST_ROWS:]
    seated = [_seated(cast, now, now.matches[each]) for each in shown]
    board = source.board.by("overall")
    rank_of = {place.agent: place for place in places_of(board, source.decided)}
    scale = strength_scale(board)

    def row(one: Standing) -> tuple[str, ShownIdentity, Markup, str, int]:
        who, ends = cast[one.agent], ends_of(one.strength)
        drawn = interval_cell(scale, *ends, who.colour, 24)
        moved, words = now.moves.get(one.agent, 0), rank_of[one.agent].words
        return words, who, drawn, signed(ends[0] or 0.0), moved

    template = environment().get_template("live_body.html.j2")
    return template.render(
        run=run,
        left="–" if run.left is None else duration(run.left),
        ends=None if run.left is None else datetime.now(UTC) + timedelta(seconds=run.left),
        elapsed=duration(run.elapsed),
        seated=seated,
        more=max(0, len(run.waiting) - len(shown)),
        over=[_seated(cast, now, match, f"{about(s)} ago") for match, s in now.over],
        speed=now.speed or run.per_second,
        speeds=now.speeds,
        calls=calls,
        usual=usual,
        waits=[(_WAITS[wait.kind], wait.matches, wait.until) for wait in run.waits],
        alarms=[plain(alarm.sentence, ()) for alarm in run.alarms],
        standings=[row(one) for one in board if one.strength and one.agent in rank_of],
    )


_WAITS = {
    "provider": "A provider asks to wait",
    "person": "A person is asked",
    "budget": "The budget is used up",
    "disk": "The disk is full",
}


def _is_hidden(now: Now, number: int) -> bool:
    match = now.matches.get(number)
    return bool(now.names) and (match is None or not now.names.isdisjoint(match.agents))


def _seated(cast: Cast, now: Now, match: StoredMatch, ago: str = "") -> dict[str, object]:
    """A match at the table or just over: its players, each with True if it is asked now.

    Its words are its phase, or how long ago it was over; its share is that of its answers that are
    in, None after its end.
    """
    asked: Sequence[int] = now.run.waiting.get(match.number, ())
    phase, share = now.begun.get(match.number, ("begins", 0.0))
    if ago or _is_hidden(now, match.number):
        asked, phase = (), ago
    people = [(who, seat in asked) for seat, who in enumerate(cast.seats(match.agents))]
    return {
        "number": match.number,
        "game": game_title(match.game),
        "suit": suit(match.game),
        "people": people,
        "words": phase,
        "share": None if ago else share,
    }


def first_line(now: Now) -> str:
    """The state of a run in a sentence: its progress, its end, and if its budget holds."""
    run = now.run
    words = f"{run.finished:,} of {run.matches:,} matches played"
    if now.state == "running" and run.left is not None:
        words += f"; ends in about {about(run.left)}"
    elif now.state != "running":
        words += f"; {now.state}"
    if run.budget is not None and run.dollars_at_end is not None:
        over = run.dollars_at_end - run.budget
        words += f", over budget by about ${over:.2f}" if over > 0 else ", within the budget"
    return f"{words}."


def pace(run: RunStatus) -> str:
    """The answers a second of a run and its time left, "" while it gives none."""
    words = f" · {run.per_second:.0f}/s" if run.per_second else ""
    return words if not words or run.left is None else f"{words} · about {duration(run.left)} left"


def about(seconds: float) -> str:
    """A time in seconds or minutes, or in hours and minutes."""
    if seconds < 90:
        return counted(round(seconds), "second")
    return duration(seconds) if seconds >= 3600 else counted(round(seconds / 60), "minute")


def duration(seconds: float) -> str:
    """A time as ``4:50`` or ``3 h 12 min``."""
    whole = int(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 60}:{whole % 60:02}"
