"""The money line: spending, budget, rate and forecast of the models."""

from rich.text import Text

from parlour.tournament.calls.budget import dollars
from parlour.tournament.control.status import MoneyStatus
from parlour.tui.text import WARN


def money_line(live: MoneyStatus | None) -> Text | None:
    """Spending, budget, dollars per hour and the forecast total; None where nothing costs money."""
    if live is None or not (live.dollars or live.budget is not None or live.agent_budgets):
        return None
    budget, per_hour, at_end = live.budget, live.dollars_per_hour, live.dollars_at_end
    of = "" if budget is None else f" of {dollars(budget)}"
    text = Text(f"{dollars(live.dollars)}{of} spent", no_wrap=True)
    if per_hour is not None:
        text.append(f"  {dollars(per_hour)}/h")
    if at_end is not None and live.dollars_at_most is not None:
        most = dollars(live.dollars_at_most)
        text.append(f"  about {dollars(at_end)} by the next decision, at most {most}")
    elif at_end is not None:
        text.append(f"  about {dollars(at_end)} total")
        if budget is not None and at_end > budget:
            text.append("  over budget: b", WARN)
    return text
