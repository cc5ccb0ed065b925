"""A match as text: its transcript line by line, and the words for the states of a runner."""

from rich.text import Text

from parlour.games.engine.events import Event
from parlour.games.engine.game import Game
from parlour.games.engine.moves import player
from parlour.games.engine.table import Table
from parlour.games.engine.transcript import earned, sentence, transcript
from parlour.tui.models.save_view import Focus
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
