"""The gossip feed of a match: who told what of whom, whether it is true, and how each stands."""

from collections.abc import Iterator

from rich.text import Text

from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.table import Event, Table
from parlour.games.families.encounters import deed_of, pair, rewards
from parlour.games.families.gossip_games import NEGATIVE, POSITIVE
from parlour.games.families.transcript import exact
from parlour.tui.models.save_view import Focus
from parlour.tui.text import BOLD, DIM, WARN, one_line

HINT = "by:1 about:2 tone:praising, or words of the message"


def has_gossip(focus: Focus | None) -> bool:
    """Whether the focused match is of a game in which players tell of each other."""
    return focus is not None and focus.table is not None and "gossip" in focus.table.game.kinds


def feed(focus: Focus, wanted: str) -> list[Text]:
    """What was told, oldest first; ``wanted`` filters by speaker, subject, tone or words."""
    table = focus.table
    if table is None:
        return []
    lines = [
        _line(table, event)
        for event in table.events
        if event.kind in {"gossip", "report"} and event.by is None and _fits(event, wanted)
    ]
    if not lines:
        return [Text("Nothing fits the filter: / changes it." if wanted else "No gossip yet.", DIM)]
    return [Text(f"Only: {one_line(wanted)}", DIM), *lines] if wanted else lines


def standing(focus: Focus) -> list[Text]:
    """For each seat what it holds, and what was told of it, in order: + good, - bad, · neutral.

    Where nobody holds anything it is what the seat has earned. What was seen under public
    monitoring counts like what was told.
    """
    table = focus.table
    if table is None:
        return []
    held, word = _resources(table), "holds" if "endowment" in table.events[0].record else "earned"
    lines = []
    for seat, agent in enumerate(focus.match.agents):
        words = "".join(_words(table, seat))
        line = Text(f"{player(seat)} ", BOLD).append(one_line(agent), "not bold")
        lines.append(line.append(f"  {word} {held[seat]:.10g}", "not bold"))
        if words:
            balance = words.count("+") - words.count("-")
            lines.append(Text(f"   {balance:+d}  {words}", DIM))
    return lines


def _line(table: Table, event: Event) -> Text:
    record = event.record
    speaker, about = player(record["speaker"]), player(record["about"])
    line = Text(f"{event.round:>2} ", DIM)
    if event.kind == "report":
        line.append(f"{speaker} of itself: {_done(_reported(record))}", "default")
    else:
        word = record.get("tone", f"signal {record.get('signal')}")
        line.append(f"{speaker} → {about} ", "default").append(word, BOLD)
        if record.get("message"):
            line.append(f" {one_line(record['message'])}", "default")
    if truthful(table, event) is False:
        line.append("  ✗ untrue", WARN)
    return line


def truthful(table: Table, event: Event) -> bool | None:
    """Whether what was told fits what was done; None where it says nothing either way."""
    met = (e for e in table.events if e.kind == "encounter" and e.round == event.round)
    deed = next((deed_of(each.record, event.record["about"]) for each in met), None)
    if deed is None:
        return None
    if event.kind == "report":
        return bool(_reported(event.record) == deed.done)
    sign = _sign(table, event)
    return None if sign == "·" or deed.helped is None else (sign == "+") == deed.helped


def _reported(report: Record) -> str | float:
    """The action or the amount of a self-report."""
    done: str | float = report["action"] if "action" in report else report["amount"]
    return done


def _done(deed: str | float) -> str:
    return deed if isinstance(deed, str) else f"gave {exact(deed)}"


def _sign(table: Table, event: Event) -> str:
    tone, signal = event.record.get("tone"), event.record.get("signal")
    if tone in POSITIVE:
        return "+"
    if tone in NEGATIVE:
        return "-"
    convention = table.events[0].record.get("gossip") == "binary_convention"
    if signal is not None and convention:
        return "+" if signal == 1 else "-"
    return "·"


def _words(table: Table, seat: int) -> Iterator[str]:
    for event in table.events:
        if event.kind == "gossip" and event.by is None and event.record["about"] == seat:
            yield _sign(table, event)
        elif event.kind == "encounter" and event.to is None:
            deed = deed_of(event.record, Seat(seat))
            if deed is not None and deed.helped is not None:
                yield "+" if deed.helped else "-"


def _resources(table: Table) -> dict[int, float]:
    endowment = float(table.events[0].record.get("endowment", 0))
    held = dict.fromkeys(range(len(table.seats)), endowment)
    for event in table.events:
        if event.kind == "encounter":
            for seat, reward in zip(pair(event.record), rewards(event.record), strict=True):
                held[seat] += reward
    return held


def _fits(event: Event, wanted: str) -> bool:
    """Whether an event passes a filter such as ``by:3 tone:criticism stingy``."""
    record = event.record
    for part in wanted.casefold().split():
        key, colon, value = part.partition(":")
        if colon and key in {"by", "about"}:
            seat = record["speaker" if key == "by" else "about"]
            if value != str(seat + 1):
                return False
        elif colon and key == "tone":
            if not str(record.get("tone", "")).startswith(value):
                return False
        elif part not in f"{record.get('message', '')} {record.get('tone', '')}".casefold():
            return False
    return True
