"""The forecast of a tournament as drawn: numbers, where the matches are, money, problems."""

from collections import Counter

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.registry import games
from parlour.tui.look.look import DIM_INTERVAL, Look, fit, wrapped
from parlour.tui.models.plan_forecast import CALL_SECONDS, PlanForecast, Problem
from parlour.tui.models.saves import FAMILIES

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
    text = Text(f"{number:>9}", f"bold {look.palette.text}")
    return Text().append_text(text).append(f"  {words}", look.palette.soft)


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
        line = Text(f"  {look.signs.suits[family]} ", palette.text)
        line = Text().append_text(line).append(f"{SHORT.get(family, family):<11}", palette.soft)
        colour = palette.dimmed(palette.accent, DIM_INTERVAL)
        line.append_text(look.bar(count / most, room, colour))
        lines.append(line.append(f"{count:>7,}", palette.text))
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
