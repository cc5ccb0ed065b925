"""A match as text: its row in the list, transcript, ballot, moves, players; and the status line."""

from collections.abc import Sequence

from rich.text import Text

from parlour.games.engine.events import Event
from parlour.games.engine.game import Game
from parlour.games.engine.moves import player
from parlour.games.engine.table import Table
from parlour.games.engine.transcript import earned, sentence, transcript
from parlour.tui.models.save_view import BARRED, Focus
from parlour.tui.text import BOLD, DIM, WARN, one_line

STATES = {
    "running": ("▶", "running", "bold green"),
    "pausing": ("◐", "pausing …", "bold yellow"),
    "quiesced": ("‖", "paused", "bold yellow"),
    "stopping": ("■", "stopping", "bold red"),
    "finished": ("✓", "finished", "bold"),
    "not running": ("○", "not running, space starts it", "bold yellow"),
}


def event_line(game: Game, event: Event, agents: tuple[str, ...]) -> Text:
    """An event of the transcript, with the agent's name beside the seat."""
    speaker = event.record.get("speaker") if event.by is None else None
    speaks = speaker in range(len(agents))
    who = speaker if speaks else event.by
    text = Text().append(f"{event.round:>2} ", DIM)
    if who is not None:
        said = sentence(game, event).removeprefix("Table: ").removeprefix(f"{player(who)}: ")
        said = said.removeprefix(f"{player(who)} ")
        text.append(f"{player(who)} {one_line(agents[who])}", BOLD if speaks else "")
        text.append(f" {one_line(said)}", DIM if event.kind in game.probes else "")
    else:
        text.append(one_line(sentence(game, event)), DIM)
    if event.fault:
        text.stylize(WARN)
    return text


def tabs(names: Sequence[str], chosen: int, first: int) -> Text:
    """The names of tabs with the keys that choose them, numbered from ``first``."""
    titles = []
    for i, name in enumerate(names):
        style = "bold underline" if i == chosen else ""
        titles.append(Text.assemble((f"{first + i} {name}", style)))
    return Text("  ").join(titles)


def heading(focus: Focus) -> str:
    """The title of a transcript."""
    match = focus.match
    return f"Match {match.number}: {one_line(match.experiment)}"


def transcript_lines(focus: Focus) -> list[Text]:
    """All events of a match, then its ending or the reason why it cannot continue."""
    lines = []
    if focus.table is not None:
        game = focus.table.game
        events = transcript(game, focus.table.events)
        lines = [event_line(game, event, focus.match.agents) for event in events]
        lines += ending_lines(focus.table)
    if focus.match.frozen:
        lines.append(Text(f"Frozen, cannot continue: {one_line(focus.match.frozen)}", WARN))
    elif focus.trouble:
        lines.append(Text(one_line(focus.trouble), WARN))
    return lines


def ending_lines(table: Table) -> list[Text]:
    """The ending of a match, and role and earnings of each seat."""
    outcome = table.outcome
    if outcome is None:
        return []
    meaning = table.game.texts.endings.get(outcome.ending, "")
    lines = [Text.assemble((f"Ended: {outcome.ending}", BOLD), f" ({meaning})" if meaning else "")]
    for seat, role in enumerate(outcome.roles):
        won = "won, " if seat in outcome.winners else ""
        lines.append(Text(f"   {player(seat)}: {role}, {won}{earned(table, seat)}"))
    return lines


def moves(focus: Focus) -> list[Text]:
    """The actions of each player by round, without private probes."""
    table = focus.table
    if table is None or not any(event.by is not None for event in table.events):
        return [Text("No moves yet.", DIM)]
    lines = []
    for seat, agent in enumerate(focus.match.agents):
        lines.append(Text.assemble((f"{player(seat)} ", BOLD), one_line(agent)))
        for event in table.events:
            if event.by == seat and event.kind not in table.game.probes:
                action = sentence(table.game, event).removeprefix(f"{player(seat)}: ")
                style = WARN if event.fault else ""
                lines.append(Text(f"{event.round:>4} {one_line(action)}", style))
    return lines


def players(focus: Focus, suspicions: Sequence[str] = ()) -> list[Text]:
    """Each seat: agent, role and payoff at the end, suspicions, private information, faults."""
    if focus.barred:
        return [Text(BARRED)]
    table = focus.table
    lines = []
    for seat, agent in enumerate(focus.match.agents):
        line = Text.assemble((f"{player(seat)} ", BOLD), one_line(agent))
        if table is not None and table.outcome is not None:
            line.append(f"  {table.outcome.roles[seat]}, {table.outcome.payoffs[seat]:g}", BOLD)
        lines.append(line)
        if table is None:
            continue
        if suspicions and suspicions[seat]:
            lines.append(Text(f"   {suspicions[seat]}"))
        for event in table.events:
            if event.by is None and event.to == (seat,):
                private = sentence(table.game, event).partition(": ")[2]
                lines.append(Text(f"   {one_line(private)}", DIM))
        faults = sum(event.by == seat and event.fault is not None for event in table.events)
        if faults:
            lines.append(Text(f"   {faults} faults", WARN))
    return lines


def clock(seconds: float) -> str:
    """A duration as h:mm:ss or m:ss."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
