"""Money on the screen: what models spend and will have spent, and the window for their budget."""

import math
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.binding import Binding, BindingType

from parlour.games.common.errors import BadInput, ParlourError
from parlour.tournament.calls.budget import dollars, parse_amount
from parlour.tournament.control.set_budget import set_budget
from parlour.tournament.control.status import MoneyStatus
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.views.match import WARN, cut
from parlour.tui.widgets.dialogs import Choice, Line

WIDEST_NAME = 20
ALL = ""
"""Stands for all models together where an agent is chosen."""


def money_line(live: MoneyStatus | None) -> Text | None:
    """What is spent, of which budget, how fast, and about how much it will be; None for nothing."""
    if live is None or not (live.dollars or live.budget is not None or live.agent_budgets):
        return None
    budget, per_hour, at_end = live.budget, live.dollars_per_hour, live.dollars_at_end
    of = "" if budget is None else f" of {dollars(budget)}"
    text = Text(f"{dollars(live.dollars)}{of} spent", no_wrap=True)
    if per_hour is not None:
        text.append(f"  {dollars(per_hour)}/h")
    if at_end is not None:
        text.append(f"  about {dollars(at_end)} in all")
        if budget is not None and at_end > budget:
            text.append("  over it: b", WARN)
    return text


class MoneyScreen(ParlourScreen):
    """A screen of a save whose budgets can be set."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "budget", "Budget of the models", show=False, id="live.budget"),
    ]

    def action_budget(self) -> None:
        """Shows what each model has spent and may spend, and takes another budget."""
        self._look_up(self.save_path)

    @property
    def save_path(self) -> Path:
        """The save that it is about."""
        raise NotImplementedError

    @work(thread=True, exclusive=True, group="budget", exit_on_error=False)
    def _look_up(self, path: Path) -> None:
        try:
            with Save(path) as save:
                models, control = list(save.tournament.models), save.control()
                spent, _last = spent_by_agent(save)
        except ParlourError as error:
            self.app.call_from_thread(self.say, str(error), bad=True)
            return
        if not models:
            said = "No language model plays here, so nothing is spent."
            self.app.call_from_thread(self.say, said)
            return
        stand: dict[str, tuple[float, float | None]] = {
            ALL: (sum(spent.values()), control.budget),
            **{name: (spent.get(name, 0.0), control.agent_budgets.get(name)) for name in models},
        }
        self.app.call_from_thread(self._choose, path, stand)

    def _choose(self, path: Path, stand: dict[str, tuple[float, float | None]]) -> None:
        """Whose budget it is to be."""
        options = [(name, f"{_who(name)}: {_stands(*stand[name])}") for name in stand]

        def chosen(name: str | None) -> None:
            if name is not None:
                self._ask(path, name, *stand[name])

        self.app.push_screen(Choice("Budget in dollars of", options), chosen)

    def _ask(self, path: Path, name: str, spent: float, cap: float | None) -> None:
        """How much it is to be."""

        def given(typed: str | None) -> None:
            if not typed:
                return
            try:
                amount = parse_amount(typed, cap, spent)
            except BadInput as error:
                self.say(str(error), bad=True)
            else:
                self._allow(path, amount, name)

        kept = "" if cap is None else f"{cap:.12g}"
        title = f"Budget of {_who(name)}"
        self.app.push_screen(Line(title, kept, "12.50, +5 for more, or none"), given)

    @work(thread=True, exclusive=True, group="budget", exit_on_error=False)
    def _allow(self, path: Path, amount: float, name: str) -> None:
        try:
            set_budget(path, amount, name or None)
        except ParlourError as error:
            self.app.call_from_thread(self.say, str(error), bad=True)
            return
        set_to = "none" if amount == math.inf else dollars(amount)
        self.app.call_from_thread(self.say, f"Budget of {_who(name)}: {set_to}.")


def _who(name: str) -> str:
    return "all models" if name == ALL else cut(name, WIDEST_NAME)


def _stands(spent: float, cap: float | None) -> str:
    """With what is set aside for calls in flight, which may well come to less."""
    of = "no budget" if cap is None else f"of {dollars(cap)}"
    return f"{dollars(spent)} spent or set aside, {of}"
