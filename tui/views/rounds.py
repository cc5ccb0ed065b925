"""The side pane of cost sharing, the dilemma and public good: what each did, round by round."""

from collections.abc import Iterable

from rich.text import Text

from parlour.games.engine.moves import player
from parlour.games.engine.table import Event, Table
from parlour.tui.models.save_view import Focus
from parlour.tui.text import BOLD, DIM, one_line

TITLES = {"proposed": "Proposals", "choices": "Choices", "contributions": "Pool"}
"""What the pane is called, by the kind of event that a game of its sort has."""


def kind_of(focus: Focus | None) -> str | None:
    """The kind of event that the pane of this match is about, None if it has no such pane."""
    if focus is None or focus.table is None:
        return None
    return next((kind for kind in TITLES if kind in focus.table.game.kinds), None)


def rounds(focus: Focus, kind: str) -> list[Text]:
    """The rounds so far, and where everybody stands."""
    table = focus.table
    if table is None:
        return []
    told = [event for event in table.events if event.by is None]
    if not any(event.kind == kind for event in told):
        return [Text("Nothing has been done yet.", DIM)]
    if kind == "proposed":
        return _negotiation(table, told)
    names = [Text(f"{player(s)} {one_line(a)}", DIM) for s, a in enumerate(focus.match.agents)]
    grid = _choices(table, told) if kind == "choices" else _contributions(table, told)
    return [*grid, Text(""), *names]


def _negotiation(table: Table, told: Iterable[Event]) -> list[Text]:
    """Each round's proposals with the seats that voted for them; the split agreed on."""
    lines: list[Text] = []
    votes: dict[int, dict[int, list[str]]] = {}
    for event in told:
        record = event.record
        of_round = votes.setdefault(event.round, {})
        if event.kind == "approvals":
            for voter, proposer in enumerate(record["proposers"]):
                of_round.setdefault(proposer, []).append(f"P{voter + 1}")
        elif event.kind == "approved":
            of_round.setdefault(record["proposer"], []).append(f"P{record['voter'] + 1}")
    shown = 0
    for event in told:
        if event.kind != "proposed":
            continue
        if event.round != shown:
            shown = event.round
            lines.append(Text(f"Round {shown}", BOLD))
        proposer = event.record["proposer"]
        split = " / ".join(f"{share:>2}" for share in event.record["shares"])
        line = Text(f"  P{proposer + 1}  {split}", no_wrap=True)
        voters = votes.get(shown, {}).get(proposer, [])
        if voters:
            line.append("  ◀ " + " ".join(voters), "bold yellow")
        lines.append(line)
    outcome = table.outcome
    if outcome is not None:
        shares = outcome.facts["shares"]
        lines.append(Text(""))
        end = "No agreement" if shares is None else "Agreed: " + " / ".join(map(str, shares))
        lines.append(Text(end, BOLD))
    return lines


def _choices(table: Table, told: Iterable[Event]) -> list[Text]:
    """C or D of each player with its points, and the totals."""
    events = [event for event in told if event.kind == "choices"]
    totals = [0.0 for _ in table.seats]
    lines = [_row("", [f"P{seat + 1}" for seat in table.seats], BOLD)]
    for event in events:
        actions, points = event.record["actions"], event.record["points"]
        totals = [total + point for total, point in zip(totals, points, strict=True)]
        pairs = zip(actions, points, strict=True)
        cells = [f"{action[0].upper()} {point:g}" for action, point in pairs]
        lines.append(_row(str(event.round), cells))
    lines.append(_row("sum", [f"{total:g}" for total in totals], BOLD))
    return lines


def _contributions(table: Table, told: Iterable[Event]) -> list[Text]:
    """What each player gave, what it has left, the pool, and at the end the final scores."""
    events = [event for event in told if event.kind == "contributions"]
    lines = [_row("", [f"P{seat + 1}" for seat in table.seats], BOLD)]
    pool = 0
    for event in events:
        pool += sum(event.record["amounts"])
        lines.append(_row(str(event.round), [str(amount) for amount in event.record["amounts"]]))
    lines.append(_row("left", [str(left) for left in events[-1].record["left"]], BOLD))
    multiplier = next(e.record["multiplier"] for e in table.events if e.kind == "rules")
    lines.append(Text(f"pool {pool}, × {multiplier:g} at the end", BOLD))
    if table.outcome is not None:
        lines.append(_row("end", [f"{payoff:.1f}" for payoff in table.outcome.payoffs], BOLD))
    return lines


def _row(head: str, cells: Iterable[str], style: str = "") -> Text:
    """A line of a grid: a short head and one cell a seat."""
    return Text(f"{head:>4}" + "".join(f"{cell:>8}" for cell in cells), style, no_wrap=True)
