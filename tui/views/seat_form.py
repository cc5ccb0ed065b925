"""The seat of a person: its header, its question, the rules, and the end of a match.

Players know each other by seat alone: nobody here has the name of an agent before the end.
"""

from collections.abc import Sequence

from rich.text import Text

from parlour.agents.registry import AgentConfig
from parlour.games.common.text import clean, one_line
from parlour.games.engine.moves import player
from parlour.games.engine.prompts import Prompt
from parlour.games.engine.transcript import earned
from parlour.tournament.reports.thoughts import thoughts
from parlour.tui.look.cast import ShownIdentity
from parlour.tui.look.look import Look, fit, wrapped
from parlour.tui.models.save_view import Focus
from parlour.tui.models.saves import agent_words
from parlour.tui.models.seat import Question, SeatClient
from parlour.tui.text import cut
from parlour.tui.views.header import clock, header_lines
from parlour.tui.views.run_header import StateWord
from parlour.tui.views.scene import Scene

WORD = "Seat"
WIDE = 110
KINDS = {
    "llm": "a language model",
    "scripted": "a program",
    "function": "a function",
    "python": "a program",
    "human": "a person",
}
"""The kinds of agents in words."""
LONGEST_THOUGHT = 400
"""Characters of a thought that are shown at the end."""
LITTLE_TIME = 15
"""Seconds on the clock from which on they are shown as trouble."""


def seat_state(client: SeatClient, look: Look) -> StateWord:
    """The state of a seat: its turn, the turn of others, or nobody's; it gives nothing away."""
    palette, signs, state = look.palette, look.signs, client.watched.state
    stalled = {
        "paused": StateWord(signs.paused, "paused", palette.warn, "Paused. F5 resumes it."),
        "not running": StateWord(
            signs.stopped, "not running", palette.warn, "Not running. F5 starts it."
        ),
    }
    if state in stalled:
        return stalled[state]
    if client.is_over:
        return StateWord(signs.done, "match over", palette.good)
    if client.question is not None:
        return StateWord(signs.running, "your turn", palette.accent)
    if state == "finished":
        words = "The tournament is finished. Esc leaves, then l shows the leaderboard."
        return StateWord(signs.done, "finished", palette.good, words)
    if state == "running":
        words = "The others have their turn. You are asked as soon as it is yours."
        return StateWord(signs.pending, "others' turn", palette.soft, words)
    return StateWord(signs.pending, one_line(state), palette.warn, f"The tournament is {state}.")


def seat_scene(focus: Focus, look: Look, seat: int | None) -> Scene:
    """A match as a player knows it: its people by seat, and what that seat was told.

    None sees everything, as after the end.
    """
    people = tuple(
        ShownIdentity(str(number + 1), player(number), look.palette.person(number), number)
        for number in range(len(focus.match.agents))
    )
    return Scene(focus, people, look, viewer=seat)


# --- The header


def header(client: SeatClient, look: Look, width: int) -> list[Text]:
    """Two lines: whose seat it is, what is asked, and the clock; and the tournament's progress."""
    palette, state = look.palette, seat_state(client, look)
    left = Text(cut(client.agent, 24 if width >= WIDE else 12), f"bold {palette.text}")
    left.append(" ").append_text(look.pill(state.sign, state.word, state.colour))
    if client.focus is not None:
        left.append(" ").append_text(_place(client, client.focus, look, width))
    right = Text(no_wrap=True)
    if client.left is not None and client.question is not None:
        colour = palette.bad if client.left < LITTLE_TIME else palette.warn
        right.append(f"{clock(client.left)} left", f"bold {colour}")
    progress = client.watched.progress
    if width >= WIDE:
        right.append("   " if right.plain else "")
        right.append(str(progress.finished), f"bold {palette.text}")
        right.append(f" of {progress.matches} matches", palette.soft)
    done = progress.finished / max(1, progress.matches)
    return header_lines(look, WORD, left, right, width, look.progress(done, width))


def _place(client: SeatClient, focus: Focus, look: Look, width: int) -> Text:
    """The seat, the game and the match, and what is asked."""
    palette, match = look.palette, focus.match
    scene = seat_scene(focus, look, client.seat)
    line = Text(no_wrap=True).append_text(scene.chip(client.seat)).append(" ")
    line.append_text(scene.name(client.seat))
    table = client.table
    title = match.game if table is None else table.game.texts.title
    suit = "" if table is None else look.signs.suits.get(table.game.texts.family, "")
    line.append(f"  {suit} {one_line(title)}".replace("   ", "  "), palette.text)
    line.append(f" · match {match.number}", palette.soft)
    if client.question is not None:
        if width >= WIDE:
            line.append(f" · round {client.question.ask.round}", palette.soft)
        line.append(f" · {phase(client.question, focus)}", f"bold {palette.text}")
    return line


def phase(question: Question, focus: Focus) -> str:
    """The word for what is asked."""
    kind = question.ask.kind
    phases = {} if focus.table is None else focus.table.game.texts.phases
    return one_line(phases.get(kind, kind.replace("_", " ")))


# --- The question and the rules


def question_lines(question: Question, scene: Scene, width: int) -> list[Text]:
    """The question in words for a person."""
    style = f"bold {scene.look.palette.text}"
    lines: list[Text] = []
    for part in clean(question.words).splitlines():
        lines += wrapped(scene.words(part, style), width)
    return [fit(line, width) for line in lines]


def rules_lines(prompt: Prompt | None, look: Look, width: int) -> list[Text]:
    """The rules as every player reads them, and the question as a model reads it."""
    palette = look.palette
    if prompt is None:
        return [fit(Text("The rules come with the first question.", palette.faint), width)]
    lines = _paragraphs(prompt.system, palette.text, width)
    lines += [Text(), look.rule(width, "the question as models read it")]
    lines += _paragraphs(prompt.question, palette.soft, width)
    return [fit(line, width) for line in lines]


def _paragraphs(text: str, style: str, width: int) -> list[Text]:
    """A text wrapped line by line; items of a list hang behind their dash."""
    lines: list[Text] = []
    for part in clean(text).splitlines():
        is_item = part.startswith("- ")
        body = wrapped(Text(part.removeprefix("- "), style), width, 2 if is_item else 0)
        if is_item:
            body[0] = Text("- ", style).append_text(body[0][2:])
        lines += body
    return lines


# --- The end


def end_words(focus: Focus) -> str:
    """The ending of a match in a few words, "" if it has none."""
    table = focus.table
    if table is None or table.outcome is None:
        return ""
    ending = table.outcome.ending
    return one_line(table.game.texts.short_endings.get(ending, ending.replace("_", " ")))


def end_lines(scene: Scene, seat: int, width: int) -> list[Text]:
    """The end of a match: role and earnings of each seat, winners first."""
    look, table = scene.look, scene.focus.table
    if table is None or table.outcome is None:
        frozen = one_line(scene.focus.match.frozen or "")
        words = f"{look.signs.failed} This match cannot continue. {frozen}".strip()
        return [fit(line, width) for line in wrapped(Text(words, look.palette.bad), width)]
    outcome = table.outcome
    lines = []
    order = sorted(
        range(len(outcome.roles)),
        key=lambda each: (each not in outcome.winners, -outcome.payoffs[each], each),
    )
    entries = [_result(scene, each, own=each == seat) for each in order]
    column = max(entry.cell_len for entry in entries) + 3
    a_line = max(1, (width + 3) // column)
    for first in range(0, len(entries), a_line):
        row = Text(no_wrap=True)
        for entry in entries[first : first + a_line]:
            row.append_text(fit(entry, column))
        lines.append(row)
    return [fit(line, width) for line in lines]


def reveal_lines(focus: Focus, agents: Sequence[AgentConfig], width: int) -> list[Text]:
    """The agents behind the players of a match that is over, and what each of them thought."""
    blocks = {agent.name: agent.model_dump() for agent in agents}
    lines = [""]
    for seat, name in enumerate(focus.match.agents):
        block = blocks.get(name, {})
        kind = KINDS.get(block.get("kind", ""), "played by the rules")
        which = "" if block.get("kind", "human") == "human" else agent_words(block)
        lines.append(f"{player(seat)} was {one_line(name)}, {kind}{which and f' ({which})'}")
    for thought in thoughts(focus.answers, len(focus.match.agents)):
        words = one_line(" ".join(thought.words))[:LONGEST_THOUGHT]
        if words:
            lines.append(f"{player(thought.seat)} thought ({one_line(thought.kind)}): {words}")
    text = Text("\n".join(lines))
    return [fit(line, width) for line in wrapped(text, width)]


def _result(scene: Scene, seat: int, *, own: bool) -> Text:
    """A seat at the end: its chip, name, role and earnings."""
    look, table = scene.look, scene.focus.table
    palette = look.palette
    assert table is not None
    assert table.outcome is not None
    won = seat in table.outcome.winners
    sign = (f"{look.signs.won if won else ' '} ", f"bold {palette.warn}")
    role = f"{' (you)' if own else ''}  {table.outcome.roles[seat].replace('_', '-')}"
    points = (f"  {earned(table, seat)}", f"bold {palette.text}")
    person = (scene.chip(seat), " ", scene.name(seat, speaks=own))
    return Text.assemble(sign, *person, (role, palette.soft), points, no_wrap=True)
