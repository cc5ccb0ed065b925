"""Setting the budgets of the models from a screen."""

import math
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from parlour.games.common.errors import BadInput, ParlourError
from parlour.tournament.calls.budget import dollars, parse_amount
from parlour.tournament.control.changes import set_budget
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.text import cut
from parlour.tui.widgets.dialogs import Choice, LinePrompt

NAME_WIDTH = 20
"""The most columns of the screen that an agent's name takes."""
ALL = ""
"""Stands for all models together where an agent is chosen."""


class BudgetScreen(ParlourScreen):
    """A screen of a save whose budgets can be set."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "budget", "Budget of the models", show=False, id="live.budget"),
    ]

    def action_budget(self) -> None:
        """Shows spending and budget of each model, and asks for a new budget."""
        self._load(self.save_path)

    @property
    def save_path(self) -> Path:
        """The save whose budgets are set."""
        raise NotImplementedError

    @work(thread=True, exclusive=True, group="budget", exit_on_error=False)
    def _load(self, path: Path) -> None:
        try:
            with Save(path) as save:
                models, control = list(save.tournament.models), save.control()
                spent, _last = spent_by_agent(save)
        except ParlourError as error:
            self.app.call_from_thread(self.say, str(error), bad=True)
            return
        if not models:
            text = "No language model plays in this tournament, so there is no budget to set."
            self.app.call_from_thread(self.say, text)
            return
        budgets: dict[str, tuple[float, float | None]] = {
            ALL: (sum(spent.values()), control.budget),
            **{name: (spent.get(name, 0.0), control.agent_budgets.get(name)) for name in models},
        }
        self.app.call_from_thread(self._choose, path, budgets)

    def _choose(self, path: Path, budgets: dict[str, tuple[float, float | None]]) -> None:
        """Asks whose budget to set."""
        options = [(name, f"{_owner(name)}: {_summary(*budgets[name])}") for name in budgets]

        def chosen(name: str | None) -> None:
            if name is not None:
                self._ask(path, name, *budgets[name])

        self.app.push_screen(Choice("Set the budget in dollars of", options), chosen)

    def _ask(self, path: Path, name: str, spent: float, budget: float | None) -> None:
        """Asks for the amount."""

        def entered(typed: str | None) -> None:
            if not typed:
                return
            try:
                amount = parse_amount(typed, budget, spent)
            except BadInput as error:
                self.say(str(error), bad=True)
            else:
                self._allow(path, amount, name)

        current = "" if budget is None else f"{budget:.12g}"
        title = f"Budget of {_owner(name)}"
        self.app.push_screen(LinePrompt(title, current, "12.50, +5 for more, or none"), entered)

    @work(thread=True, exclusive=True, group="budget", exit_on_error=False)
    def _allow(self, path: Path, amount: float, name: str) -> None:
        try:
            set_budget(path, amount, name or None)
        except ParlourError as error:
            self.app.call_from_thread(self.say, str(error), bad=True)
            return
        set_to = "none" if amount == math.inf else dollars(amount)
        self.app.call_from_thread(self.say, f"Budget of {_owner(name)}: {set_to}.")


def _owner(name: str) -> str:
    return "all models" if name == ALL else cut(name, NAME_WIDTH)


def _summary(spent: float, budget: float | None) -> str:
    """Spending with the reserve for calls in flight, which is an upper bound."""
    of = "no budget" if budget is None else f"of {dollars(budget)}"
    return f"{dollars(spent)} spent or reserved, {of}"
