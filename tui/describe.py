"""What the panes say, as texts: rows of matches, the ballot, the players, the status line."""

from collections import Counter

from rich.text import Text

from games.moves import player
from games.table import Event, Table
from games.telling import sentence
from games.text import clean
from tournament.rows import MatchLine
from tui.state import Focus, Watched

BOLD, DIM, WARN = "bold", "dim", "bold red"
STATES = {
    "running": ("▶", "running", "bold green"),
    "pausing": ("◐", "pausing …", "bold yellow"),
    "quiesced": ("‖", "paused, quiesced", "bold yellow"),
    "stopping": ("■", "stopping", "bold red"),
    "finished": ("✓", "finished", "bold"),
    "not running": ("○", "not running, space starts it", "bold yellow"),
}


def one_line(text: str) -> str:
    """Somebody's text on one line, without anything that steers a terminal."""
    return " ".join(clean(text).split())


def match_row(watched: Watched, line: MatchLine, width: int) -> Text:
    """A match in a list: number, sign, who plays, how far it is, whom it waits for."""
    expected = watched.expected[line.entry]
    seats = watched.waited_for(line.number)
    if line.frozen is not None:
        sign, tail, style = "✗", "frozen", WARN
    elif line.ending is not None:
        sign, tail, style = "✓", line.ending, DIM
    elif line.answers or seats:
        waits = "P" + ",".join(str(seat + 1) for seat in seats) if seats else ""
        sign, tail, style = "▸", f"{line.answers}/{expected} {waits}".rstrip(), ""
    else:
        sign, tail, style = "·", "", DIM
    head = f"{line.number:>4} {sign} "
    room = max(4, width - len(head) - len(tail) - 1)
    name = one_line(line.experiment.split(": ", maxsplit=1)[-1])
    name = name if len(name) <= room else name[: room - 1] + "…"
    return Text(f"{head}{name:<{room}} {tail}", style=style, no_wrap=True)


def event_line(event: Event, agents: tuple[str, ...]) -> Text:
    """An event of a transcript, with the agent's name beside the seat."""
    who = event.record.get("speaker") if event.kind == "said" else event.by
    text = Text(f"{event.round:>2} ", style=DIM)
    if who is not None:
        said = sentence(event).removeprefix("Table: ").removeprefix(f"{player(who)}: ")
        said = said.removeprefix(f"{player(who)} ")
        text.append(f"{player(who)} {one_line(agents[who])}", BOLD if event.kind == "said" else "")
        text.append(f" {one_line(said)}", "" if event.kind in {"said", "vote"} else DIM)
    else:
        text.append(one_line(sentence(event)), DIM)
    if event.fault:
        text.stylize(WARN)
    return text


def heading(focus: Focus) -> str:
    """The title over a transcript."""
    match = focus.match
    return f"Match {match.number}: {one_line(match.experiment)}"


def ending_lines(table: Table) -> list[Text]:
    """How a match ended, in two or more lines."""
    outcome = table.outcome
    if outcome is None:
        return []
    meaning = table.game.endings.get(outcome.ending, "")
    lines = [Text(f"Ended: {outcome.ending}", BOLD) + Text(f" ({meaning})" if meaning else "")]
    for seat, role in enumerate(outcome.roles):
        won = "won, " if seat in outcome.winners else ""
        lines.append(Text(f"   {player(seat)}: {role}, {won}{outcome.payoffs[seat]:g} credits"))
    return lines


def ballot(focus: Focus) -> list[Text]:
    """The votes of the newest ballot: arrows voter → target, the most-voted marked.

    The special role is marked only once the match is over.
    """
    table = focus.table
    votes = [event for event in table.events if event.kind == "vote"] if table else []
    votes = [event for event in votes if event.ask == votes[-1].ask]
    if table is None or not votes:
        return [Text("No votes yet.", DIM)]
    agents = focus.match.agents
    width = max(len(one_line(agent)) for agent in agents)
    lines = []
    for event in votes:
        target = event.record["suspect"]
        shown = "nobody" if target is None else player(target)
        voter = f"{player(event.by or 0)} {one_line(agents[event.by or 0]):<{width}}"
        lines.append(Text(f"{voter} ──▶ {shown}", no_wrap=True))
    counts = Counter(event.record["suspect"] for event in votes)
    counts.pop(None, None)
    lines.append(Text(""))
    special = table.game.special
    for seat in table.seats:
        got = counts[seat]
        row = Text(f"{player(seat)} {'█' * got}{got:>2}", no_wrap=True)
        if got and got == max(counts.values()):
            row.append("  ◀ most votes", "bold yellow")
        if table.outcome is not None and table.outcome.roles[seat] == special:
            row.append(f"  ★ {special}", "bold magenta")
        lines.append(row)
    return lines


def players(focus: Focus) -> list[Text]:
    """Who sits where, what each was told in private, and what became of it."""
    table = focus.table
    lines = []
    for seat, agent in enumerate(focus.match.agents):
        line = Text(f"{player(seat)} ", BOLD) + Text(one_line(agent))
        if table is not None and table.outcome is not None:
            line.append(f"  {table.outcome.roles[seat]}, {table.outcome.payoffs[seat]:g}", BOLD)
        lines.append(line)
        if table is None:
            continue
        for event in table.events:
            if event.by is None and event.to == (seat,):
                told = sentence(event).partition(": ")[2]
                lines.append(Text(f"   {one_line(told)}", DIM))
        faults = sum(event.by == seat and event.fault is not None for event in table.events)
        if faults:
            lines.append(Text(f"   {faults} faults", WARN))
    return lines


def status_line(watched: Watched) -> Text:
    """Where the tournament stands, in one line."""
    sign, words, style = STATES.get(watched.state, ("?", watched.state, WARN))
    live, progress = watched.live, watched.progress
    text = Text(f"{sign} {words}", style, no_wrap=True)
    text.append(f"  {progress.finished}/{progress.matches} matches", "default")
    if progress.frozen:
        text.append(f"  {progress.frozen} frozen", WARN)
    if live is not None:
        pace = f" (pace {live['pace']:g}/s)" if live["pace"] else ""
        text.append(f"  {live['per_second']:,.0f} asks/s{pace}", "default")
        text.append(f"  {clock(live['elapsed'])}", "default")
        if live["left"] is not None and watched.state == "running":
            text.append(f", about {clock(live['left'])} left", "default")
        if live["failed"]:
            text.append(f"  {one_line(live['failed'][0])}", WARN)
    return text


def clock(seconds: float) -> str:
    """A duration as h:mm:ss or m:ss."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
