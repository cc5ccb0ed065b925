"""The base of the forms with a forecast: fields in panes, and what they would play as one types."""

from asyncio import to_thread
from collections import Counter
from collections.abc import Callable, Collection
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.timer import Timer
from textual.worker import get_current_worker

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.games.engine.registry import games
from parlour.tui.look.look import DIM_INTERVAL, Look, fit, wrapped
from parlour.tui.models.form import Cursor, Field, FormRows
from parlour.tui.models.game_names import FAMILIES
from parlour.tui.models.new_tournament import Draft, changed
from parlour.tui.models.offered import OfferedAgent, agents_file, offered_agents, own_agents
from parlour.tui.models.plan_forecast import CALL_SECONDS, ForecastStopped, PlanForecast, Problem
from parlour.tui.screens.consenting import ConsentingScreen
from parlour.tui.text import following, shown_path
from parlour.tui.views.fields import FieldLook
from parlour.tui.widgets.drawn import Drawing, DrawnPane
from parlour.tui.widgets.fields_pane import FieldsPane
from parlour.tui.widgets.panes import Pane

SHORT = {"dilemma": "dilemmas", "bargain": "bargaining"}
TWO_COLUMNS = 48
"""Columns from which the numbers stand in two columns."""


def amount(number: float) -> str:
    """A number in at most six columns: 5,120 or 4.1 M."""
    if number < 100_000:
        return f"{number:,.0f}"
    return f"{number / 1000:,.0f} k" if number < 1_000_000 else f"{number / 1e6:,.1f} M"


def duration(seconds: float | None) -> str:
    """A time in its largest unit."""
    if seconds is None:
        return "–"
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"≈ {seconds / size:.0f} {unit}"
    return f"≈ {max(1, round(seconds))} s"


def forecast_lines(plan: PlanForecast | None, look: Look, width: int, height: int) -> list[Text]:
    """The forecast in a pane; blank numbers until it was computed."""
    palette = look.palette
    if plan is None:
        return [fit(Text(), width), fit(Text("  counting …", palette.faint), width)]
    problems = _problems(plan.problems, look, width)
    lines = [*_numbers(plan, look, width), Text(), *_by_family(plan, look, width)]
    lines += _money(plan, look, width)
    if len(lines) + len(problems) + 1 > height:
        lines = [*problems, Text(), *lines]  # first what must be solved
    else:
        lines += [Text(), *problems] if problems else []
    return [fit(line, width) for line in lines]


def _numbers(plan: PlanForecast, look: Look, width: int) -> list[Text]:
    calls = sum(cost.calls for cost in plan.costs)
    pairs = [(amount(plan.matches), "matches"), (amount(plan.asks), "asks")]
    how = "at this pace" if plan.paced else "without a pace"
    if plan.costs:
        sent = sum(cost.prompt_tokens for cost in plan.costs)
        received = sum(cost.completion_tokens for cost in plan.costs)
        how = "at this pace" if plan.paced else f"at {CALL_SECONDS:.0f} s a call"
        pairs += [(amount(calls), "model calls"), (duration(plan.seconds), how)]
        pairs += [(amount(sent), "tokens in"), (amount(received), "tokens out")]
    elif plan.seconds is None:
        pairs.append(("–", "at your pace"))
    else:
        pairs.append((duration(plan.seconds), how))
    cells = [_number(number, words, look) for number, words in pairs]
    if width < TWO_COLUMNS:
        return cells
    half = width // 2
    cells += [Text()] * (len(cells) % 2)
    rows = zip(cells[::2], cells[1::2], strict=True)
    return [Text(), *(fit(left, half).append_text(right) for left, right in rows)]


def _number(number: str, words: str, look: Look) -> Text:
    bold, soft = f"bold {look.palette.text}", look.palette.soft
    return Text.assemble((f"{number:>9}", bold), (f"  {words}", soft))


def _by_family(plan: PlanForecast, look: Look, width: int) -> list[Text]:
    palette = look.palette
    counts: Counter[str] = Counter()
    for name, count in plan.by_game.items():
        counts[games()[name].texts.family] += count
    most = max(counts.values(), default=0) or 1
    room = max(4, width - 23)
    lines = [look.rule(width, "where the matches are")]
    for family in FAMILIES:
        count = counts[family]
        bar = look.bar(count / most, room, palette.dimmed(palette.accent, DIM_INTERVAL))
        word = (f"{SHORT.get(family, family):<11}", palette.soft)
        suit = (f"  {look.signs.suits[family]} ", palette.text)
        lines.append(Text.assemble(suit, word, bar, (f"{count:>7,}", palette.text)))
    return lines


def _money(plan: PlanForecast, look: Look, width: int) -> list[Text]:
    """The expected cost against the budget, and its parts."""
    if not plan.costs:
        return []
    palette, dollars = look.palette, plan.dollars
    lines = [Text(), look.rule(width, "money")]
    known = "unknown price" if dollars is None else f"${dollars:,.2f}"
    of = "" if plan.budget is None else f" of ${plan.budget:,.2f}"
    line = Text("  ")
    if plan.budget and dollars is not None:
        share = dollars / plan.budget
        colour = palette.bad if share > 1 else palette.warn
        line.append_text(look.bar(share, max(4, width - 26), colour)).append("  ")
    line.append(known, f"bold {palette.text}").append(of, palette.soft)
    lines.append(line)
    parts = [_cost(cost.agent, cost.dollars) for cost in plan.costs]
    lines += wrapped(Text(" · ".join(parts), palette.faint), width, 2)
    return lines


def _cost(agent: str, dollars: float | None) -> str:
    price = "no price" if dollars is None else f"${dollars:,.2f}"
    return f"{one_line(agent)} {'free' if dollars == 0 else price}"


def _problems(problems: tuple[Problem, ...], look: Look, width: int) -> list[Text]:
    palette = look.palette
    lines: list[Text] = []
    for problem in problems:
        colour = palette.bad if problem.forbids else palette.warn
        sign = look.signs.failed if problem.forbids else "!"
        for index, part in enumerate(wrapped(Text(problem.text, palette.text), width - 4)):
            mark = f"{look.signs.edge}{sign} " if index == 0 else f"{look.signs.edge}  "
            lines.append(Text(mark, colour).append_text(part))
    return lines


TYPING_SECONDS = 0.15
"""Seconds without a change after which the forecast is computed."""
FORECAST = "forecast"


class PlanningScreen(ConsentingScreen):
    """A form whose ``draft`` is changed field by field, with its forecast in a pane.

    ``plan`` is the newest forecast. The action ``DOES`` has no key while a problem forbids it,
    and waits for the forecast of what was typed last.
    """

    PANES: ClassVar[dict[str, str]]
    """The titles of the panes by their names; those of fields come first."""
    DOES: ClassVar[str]
    NOT_YET: ClassVar[str]
    """The words before the problem that forbids the action."""

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self.draft = draft
        self.offered: dict[str, OfferedAgent] = offered_agents()
        self.plan: PlanForecast | None = None
        self._planned: Draft | None = None  # the draft of which it is the forecast
        self._does_when_planned = False
        self._typing: Timer | None = None

    # --- What a form says of itself

    def fields(self, pane: str) -> list[Field]:
        """The fields of a pane as they are now."""
        raise NotImplementedError

    def rows(self, pane: str, look: FieldLook) -> FormRows:
        """The lines of a pane."""
        raise NotImplementedError

    def forecast(self, draft: Draft, is_stopped: Callable[[], bool]) -> PlanForecast:
        """The forecast of a draft, in a thread. Raises Stopped."""
        raise NotImplementedError

    def do_it(self) -> None:
        """Does what the form is for: its forecast is there."""
        raise NotImplementedError

    def offer(self, own: tuple[OfferedAgent, ...]) -> None:
        """Offers agents of the user's file too."""
        raise NotImplementedError

    # --- The draft and its forecast

    def on_mount(self) -> None:
        """Shows the form, and reads the user's agents and their keys."""
        for place, (name, title) in enumerate(self.PANES.items(), start=1):
            key = "" if name == FORECAST else str(place)
            self.query_one(f"#{name}", Pane).set_title(self.look.title(key, title))
        self.query_one(f"#{FORECAST}", DrawnPane).set_hint(Text("as you type"))
        self.action_jump(next(iter(self.PANES)))
        self.read_agents()
        self.compute()

    def change(self, field: Field) -> None:
        """Takes a field with its new content."""
        self.draft = changed(self.draft, field.path, field.value)
        self._does_when_planned = False
        self.show_draft()
        self.refresh_bindings()
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_SECONDS, self.compute)

    def chosen(self, pane: str, names: Collection[str]) -> str:
        """The name of a game or agent that the cursor is on, or in whose details it is."""
        for each in self.query(FieldsPane):
            if each.id == pane and len(each.at) > 1 and each.at[1] in names:
                return str(each.at[1])
        return ""

    @work(exclusive=True, group="agents", exit_on_error=False)
    async def read_agents(self) -> None:
        """Reads the user's agents, and looks for their keys, which may take seconds."""
        try:
            if own := await to_thread(lambda: tuple(own_agents())):
                self.offer(own)
        except ParlourError as error:
            self.say(str(error), bad=True)

    @work(thread=True, exclusive=True, group="forecast", exit_on_error=False)
    def compute(self) -> None:
        """Computes the forecast; a later change of the form stops it."""
        worker, draft = get_current_worker(), self.draft
        try:
            plan = self.forecast(draft, lambda: worker.is_cancelled)
        except ForecastStopped:
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self._take, plan, draft)

    def _take(self, plan: PlanForecast, draft: Draft) -> None:
        """Shows the forecast of a draft, and does what was asked for meanwhile."""
        self.plan, self._planned = plan, draft
        self.show_draft()
        self.refresh_bindings()
        if self._does_when_planned and draft is self.draft:
            self.do_when_planned()

    def do_when_planned(self) -> None:
        """Does what the form is for, as soon as its forecast has no problem."""
        self._does_when_planned = self._planned is not self.draft
        if self._does_when_planned:
            return
        if self._problem:
            self.say(self.why_not(self.DOES))
        else:
            self.do_it()

    @property
    def _problem(self) -> str:
        """The problem that forbids the action, "" if none is known: the forecast may be older."""
        if self.plan is None or self._planned is not self.draft:
            return ""
        return self.plan.obstacle

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """False for the action of the form while a problem forbids it."""
        return action != self.DOES or not self._problem

    def why_not(self, action: str) -> str:
        """The problem that forbids the action."""
        return "" if self.check_action(action, ()) else f"{self.NOT_YET}: {self._problem}"

    # --- Drawing and panes

    def show_draft(self) -> None:
        """Shows the draft and its forecast again."""
        if not self.is_attached:
            return
        for pane in self.query(FieldsPane):
            pane.show()
        self.query_one(f"#{FORECAST}", DrawnPane).show()
        for drawing in self.query(Drawing):
            drawing.refresh()

    def fields_pane(self, name: str, hint: str = "") -> FieldsPane:
        """A pane of fields."""

        def draw(at: Cursor | None, width: int) -> FormRows:
            return self.rows(name, FieldLook(self.look, width, at))

        return FieldsPane(draw, lambda: self.fields(name), self.change, id=name, hint=hint)

    def forecast_pane(self) -> DrawnPane:
        """The pane of the forecast."""

        def draw(width: int, height: int) -> list[Text]:
            return forecast_lines(self.plan, self.look, width, height)

        return DrawnPane(draw, id=FORECAST)

    def action_jump(self, name: str) -> None:
        """Goes to a pane."""
        self.query_one(f"#{name}").focus()

    def stations(self) -> list[str]:
        """The panes that Tab goes to."""
        return [name for name in self.PANES if name != FORECAST]

    def action_pane(self, by: int) -> None:
        """Goes to the next pane."""
        here = self.focused.id if self.focused else None
        self.action_jump(following(self.stations(), here, by))


def own_file() -> str:
    """The path of the user's agents in few letters."""
    return shown_path(agents_file())
