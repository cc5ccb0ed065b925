"""Lines of a conversation: one function for each kind of item, and the blocks that they form."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from rich.cells import cell_len
from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.board import GridCell
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Seat, player
from parlour.games.engine.talk import (
    Action,
    Approvals,
    Aside,
    Ballot,
    Chosen,
    Ending,
    Fact,
    FaultLine,
    Heading,
    Note,
    Proposal,
    Said,
    Secret,
    TalkItem,
    Vote,
)
from parlour.games.engine.transcript import sentence, transcript
from parlour.tui.look.look import fit, flowed, spread, wrapped
from parlour.tui.text import typed
from parlour.tui.views.boards.grid import cell_text
from parlour.tui.views.boards.matrix import sign_cell
from parlour.tui.views.scene import Scene

NOBODY = "–"
WORDY = 44
"""Columns from which the word "proposes" has room."""
LEAST_NAME = 10
"""The least columns for the first column of a fact."""
BAR_WIDTH = 12
AMOUNT = r"\d[\d.,]*(?= of \d)"
"""The amount in "sends 5 of 5"."""
SIGNS = frozenset("+-·")
"""Signs of help; any other sign of an action is a letter of its game."""
Block = tuple[TalkItem, ...]
"""Neighbours of one kind; each speaker stands alone."""
T = TypeVar("T")
MOST_LINES = 20_000
"""Lines that are kept, about 20 MB."""


@dataclass(frozen=True, slots=True)
class TalkPage:
    """A scene, the columns of its talk, and whether private reasons are shown."""

    scene: Scene
    width: int
    why: bool = True

    @property
    def key(self) -> tuple[object, ...]:
        """All that the lines of an item depend on beside the item; the end needs the outcome."""
        scene, look = self.scene, (self.scene.look.palette, self.scene.look.signs)
        return (*look, scene.people, scene.verbatim, scene.is_seat, self.width, self.why)

    @property
    def indent(self) -> int:
        """The columns of a chip and the blank behind it, where names and texts begin."""
        return self.scene.chip_width + 1

    def head(self, seat: int, *, pending: bool = False, pad: bool = False) -> Text:
        """The chip and the name of a seat; ``pad`` makes it as wide as that of the longest."""
        scene = self.scene
        line = Text(no_wrap=True).append_text(scene.chip(seat, pending=pending)).append(" ")
        wide = min(scene.name_width, max(6, self.width // 4))
        name = scene.name(seat, speaks=not pending, width=wide if pad else None)
        return line.append_text(name)

    def beside(self, lead: Text, text: Text, rest: Text | None = None) -> list[Text]:
        """A text wrapped at the right of a lead; ``rest`` leads the lines below the first."""
        indent = lead.cell_len
        if indent > self.width - 8:  # no room beside it
            return [lead, *wrapped(text, self.width, 1)]
        lines = wrapped(text, self.width, indent)
        below = rest if rest is not None else Text(" " * indent)
        return [
            (below if number else lead).copy().append_text(line[indent:])
            for number, line in enumerate(lines)
        ]

    def private(self, text: Text, lead: Text | None = None) -> list[Text]:
        """Lines that no player sees, wrapped behind the private sign."""
        mark = f"{self.scene.look.signs.private} "
        start = Text(mark, self.scene.look.palette.rule)
        if lead is None:
            return self.beside(start, text, start)
        rest = start.copy().append(" " * lead.cell_len)
        return self.beside(start.copy().append_text(lead), text, rest)

    def reason(self, lead: Text, reason: str) -> list[Text]:
        """A private reason behind a lead; none where reasons are not shown."""
        if not self.why or not reason.strip():
            return []
        style = f"italic {self.scene.look.palette.soft}"
        return self.private(self.scene.words(one_line(reason), style, quoted=True), lead)


def _rule(page: TalkPage, words: Text, right: str = "") -> Text:
    """A line across with words of the game."""
    return page.scene.look.rule(page.width, fit(words, min(words.cell_len, page.width - 5)), right)


def _heading(page: TalkPage, item: Heading) -> list[Text]:
    """A rule with the words of a round."""
    scene, palette = page.scene, page.scene.look.palette
    words = scene.words(typed(item.words), f"bold {palette.soft}")
    if item.more:
        words = Text.assemble(words, " ", scene.words(typed(item.more), palette.soft))
    return [_rule(page, words)]


def _note(page: TalkPage, item: Note) -> list[Text]:
    """A sentence of the game, faint."""
    words = page.scene.words(one_line(item.words), page.scene.look.palette.faint)
    return wrapped(words, page.width)


def _facts(page: TalkPage, items: Sequence[Fact]) -> list[Text]:
    """Facts about players in columns, the first as wide as there is room."""
    palette = page.scene.look.palette
    rows = [list(map(one_line, item.columns)) for item in items]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=False)]
    room = page.width - page.head(items[0].seat, pad=True).cell_len
    while len(widths) > 1 and sum(widths[1:]) + 2 * len(widths) + LEAST_NAME > room:
        widths.pop()  # the last ones go where there is no room
    left = room - sum(widths[1:]) - 2 * len(widths)
    lines = []
    for item, row in zip(items, rows, strict=True):
        line = page.head(item.seat, pad=True)
        for at, width in enumerate(widths):
            shown = width if at else max(1, min(width, left))
            cell = fit(Text(row[at], palette.soft), shown, align="right" if at else "left")
            line.append("  ").append_text(cell)
        lines.append(line)
    return lines


def _secret(page: TalkPage, item: Secret) -> list[Text]:
    """A private line with those who were told; a seat reads what it was told."""
    palette = page.scene.look.palette
    if page.scene.is_seat and item.own:
        own = page.scene.words(one_line(item.own), palette.soft)
        return page.private(_with_quotes(own, palette.text))
    words = _with_quotes(page.scene.words(one_line(item.words), palette.faint), palette.soft)
    to = page.scene.all_letters(item.to)
    return page.private(Text.assemble(words, ("  to ", palette.faint), to))


def _with_quotes(text: Text, colour: str) -> Text:
    """A text with the words in typographic quotation marks in italics."""
    text.highlight_regex(r"“[^”]*”", style=f"italic {colour}")
    return text


def _said(page: TalkPage, item: Said) -> list[Text]:
    """Chip and name, the tone where it is gossip, and the words below."""
    scene = page.scene
    lines = [_said_head(page, item)]
    if item.text.strip():
        words = scene.words(one_line(item.text), scene.look.palette.text, quoted=True)
        lines += wrapped(words, page.width, page.indent)
    return lines + page.reason(scene.letters(item.speaker).append(" "), item.reason)


def _said_head(page: TalkPage, item: Said) -> Text:
    scene, palette = page.scene, page.scene.look.palette
    line = page.head(item.speaker)
    if item.about is not None:
        line.append("  on ", palette.faint).append_text(scene.name(item.about)).append("  ")
    if item.sign:
        line.append_text(sign_cell(scene, item.sign, 3))
    if item.label:
        line.append(" " if item.sign else "  ")
        line.append_text(scene.words(one_line(item.label), palette.soft))
    untrue = Text()
    if item.true is False:
        sign = scene.look.signs.failed
        words = "untrue" if line.cell_len + 10 <= page.width else ""
        untrue = Text(f"{sign} {words}".rstrip(), f"bold {palette.bad}")
    return spread(line, untrue, page.width)


def _asides(page: TalkPage, items: Sequence[Aside]) -> list[Text]:
    """A private line for each question with all answers; two where not all fit in one."""
    faint = page.scene.look.palette.faint
    questions = [Text(one_line(item.question), faint) for item in items]
    answers = [Text("  ").join(list(_answers(page.scene, item))) for item in items]
    widest = max(question.cell_len for question in questions) + 2
    beside = widest + max(answer.cell_len for answer in answers) + 2 <= page.width
    lines: list[Text] = []
    for question, answer in zip(questions, answers, strict=True):
        if beside:
            lines += page.private(answer, fit(question, widest))
        else:
            lines += [*page.private(question), *page.private(answer)]
    return lines


def _answers(scene: Scene, item: Aside) -> Iterator[Text]:
    palette, signs = scene.look.palette, scene.look.signs
    for seat, answer in item.answers:
        if isinstance(answer, str):
            style = f"bold {palette.text}" if answer == "yes" else palette.soft
            yield Text.assemble(scene.letters(seat), " ", (one_line(answer), style))
            continue
        target = Text(NOBODY, palette.faint) if answer is None else scene.letters(answer)
        yield Text.assemble(scene.letters(seat), (signs.closed, palette.faint), target)


def _ballot(page: TalkPage, item: Ballot) -> list[Text]:
    """A rule, a line for each who got votes, most first, and the private reasons."""
    count = len(item.votes)
    so_far = f"{count} of {item.voters} in" if count < item.voters else f"{count} votes"
    so_far = "votes of others hidden" if _others_hidden(page, item) else so_far
    lines = [_rule(page, Text("ballot", f"bold {page.scene.look.palette.soft}"), so_far)]
    targets = [vote.target for vote in item.votes]
    ranked = sorted(dict.fromkeys(targets), key=partial(_rank, targets))
    lines += [_votes_for(page, item, target) for target in ranked]
    for vote in item.votes:
        lines += _vote_reason(page, vote)
    return lines


def _others_hidden(page: TalkPage, ballot: Ballot) -> bool:
    """True if a seat knows its own vote alone."""
    return page.scene.is_seat and len(ballot.votes) < ballot.voters


def _rank(targets: Sequence[int | None], target: int | None) -> tuple[bool, int]:
    """Most votes first; votes for nobody stand last."""
    return target is None, -targets.count(target)


def _votes_for(page: TalkPage, ballot: Ballot, target: int | None) -> Text:
    scene, look = page.scene, page.scene.look
    voters = [vote.voter for vote in ballot.votes if vote.target == target]
    colour = look.palette.faint
    if target is None:
        line = fit(Text(" nobody", colour), page.head(0, pad=True).cell_len)
    else:
        line, colour = page.head(target, pad=True), scene.people[target].colour
    gap = " " if page.width >= 4 * ballot.voters + line.cell_len else ""
    line.append("   ")
    line.append((look.signs.vote + gap) * len(voters), colour)
    by = Text().append("by  ", look.palette.faint).append_text(scene.all_letters(voters))
    if _others_hidden(page, ballot):  # no count: others may have voted so too
        return spread(line, by, page.width)
    line.append((look.signs.no_vote + gap) * (ballot.voters - len(voters)), look.palette.rule)
    line.append(f"{'' if gap else ' '}{len(voters)}", f"bold {look.palette.text}")
    return spread(line, by if line.cell_len + by.cell_len < page.width else by[4:], page.width)


def _vote_reason(page: TalkPage, vote: Vote) -> list[Text]:
    scene, palette = page.scene, page.scene.look.palette
    target = Text(NOBODY, palette.faint) if vote.target is None else scene.letters(vote.target)
    sign = (f" {scene.look.signs.closed} ", palette.faint)
    lead = Text.assemble(scene.letters(vote.voter), sign, target, "  ")
    lines = page.reason(lead, vote.reason)
    if vote.declares:
        lines += page.private(scene.words(one_line(vote.declares), palette.text))
    return lines


def _approvals(page: TalkPage, item: Approvals) -> list[Text]:
    """All votes in one line with the result so far, and the private reasons."""
    scene, look = page.scene, page.scene.look
    chosen = {vote.voter: vote.target for vote in item.votes}
    pairs = []
    for seat in item.voters:
        target = chosen.get(seat)
        sign = NOBODY if seat in chosen else look.signs.pending
        to = sign if target is None else scene.letters(target)
        arrow = (f" {look.signs.closed} ", look.palette.faint)
        pairs.append(Text.assemble(scene.letters(seat), arrow, to))
    votes = Text.assemble(("votes  ", look.palette.faint), Text("   ").join(pairs))
    result = scene.words(one_line(item.result), look.palette.soft)
    result.highlight_regex(r"^\d+ of \d+", style=f"bold {look.palette.text}")
    beside = votes.cell_len + result.cell_len + 2 <= page.width
    below = [votes, *wrapped(result, page.width)]
    lines = [spread(votes, result, page.width)] if beside else below
    for vote in item.votes:
        lines += page.reason(scene.letters(vote.voter).append(" "), vote.reason)
    return lines


def _proposal(page: TalkPage, item: Proposal) -> list[Text]:
    """The part of each seat in a line, and the private reason."""
    scene = page.scene
    line = page.head(item.seat, pad=True)
    line.append("  proposes " if page.width >= WORDY else "", scene.look.palette.soft)
    line.append("  ").append_text(parts_of(scene, item))
    return [line, *page.reason(scene.letters(item.seat).append(" "), item.reason)]


def parts_of(scene: Scene, item: Proposal) -> Text:
    """The parts of a proposal by seat."""
    parts = []
    for seat, part in enumerate(item.parts):
        number = f"{part:>4g}"
        parts.append(scene.letters(seat).append(number, f"bold {scene.look.palette.text}"))
    return Text("  ").join(parts)


def at_once(action: Action) -> bool:
    """True for an action of a round in which all decide: its cells and numbers form columns."""
    return action.target is None and bool(action.short or action.sign not in {"", *SIGNS})


def cell(scene: Scene, action: Action) -> Text:
    """The sign of an action in its colour, three columns wide."""
    if action.sign in SIGNS:
        return sign_cell(scene, action.sign, 3)
    return cell_text(scene, GridCell(one_line(action.sign), good=action.good), 3)


def _actions(page: TalkPage, items: Sequence[Action]) -> list[Text]:
    """A line for each action with what comes of it, then the private reasons."""
    lines: list[Text] = []
    for item in items:
        lines += _action(page, item)
    for item in items:
        lines += page.reason(page.scene.letters(item.seat).append(" "), item.reason)
    return lines


def _action(page: TalkPage, item: Action) -> list[Text]:
    scene, palette = page.scene, page.scene.look.palette
    lead = page.head(item.seat, pad=at_once(item)).append("  ")
    if item.sign:
        lead.append_text(cell(scene, item)).append(" " if item.sign in SIGNS else "  ")
    body = Text().append_text(scene.words(typed(item.words), palette.soft, quoted=True))
    if item.share is not None:
        body.highlight_regex(AMOUNT, f"bold {palette.text}")
    if item.target is not None:
        body.append(" ").append_text(scene.name(item.target))
    result = _result(page, item)
    left = page.width - lead.cell_len - body.cell_len - result.cell_len - 3
    if left >= 4 and item.share is not None:
        bar = scene.look.bar(item.share, min(BAR_WIDTH, left), scene.people[item.seat].colour)
        bar.stylize_before(f"on {palette.raised}")
        if result.plain:
            body.append("  ").append_text(bar)
        else:
            result = bar
    if lead.cell_len + body.cell_len + bool(result.plain) + result.cell_len <= page.width:
        return [spread(lead.append_text(body), result, page.width)]
    lines = page.beside(lead, body)
    if result.plain:
        lines.append(fit(result, page.width, align="right"))
    return lines


def _result(page: TalkPage, item: Action) -> Text:
    palette = page.scene.look.palette
    words = typed(item.result).replace("▸", page.scene.look.signs.closed)
    if words[:1] in {"+", "-"} and words[1:].replace(".", "").isdigit():
        return Text(words, f"bold {palette.text}")
    return Text(words, palette.soft)


def _chosen(page: TalkPage, item: Chosen) -> list[Text]:
    """A player whose choice is still hidden."""
    line = page.head(item.seat).append("  ")
    return [line.append(one_line(item.words), page.scene.look.palette.soft)]


def _fault(page: TalkPage, item: FaultLine) -> list[Text]:
    """A fault with what took the answer's place."""
    look = page.scene.look
    lead = page.head(item.seat).append(f"  {look.signs.failed} ", f"bold {look.palette.bad}")
    words = page.scene.words(one_line(item.words), look.palette.bad, quoted=True)
    return page.beside(lead, words)


def _ending(page: TalkPage, item: Ending) -> list[Text]:
    """A banner: the end in a sentence, what came to light, and what each seat got."""
    scene, palette = page.scene, page.scene.look.palette
    room = page.width - 3
    lines = [Text()]
    lines += wrapped(scene.words(one_line(item.words), f"bold {palette.text}"), room)
    for detail in item.details:
        words = _with_quotes(scene.words(typed(detail), palette.soft), palette.text)
        lines += wrapped(words, room)
    outcome = scene.outcome
    if outcome is not None:
        lines += _payoffs(scene, outcome, room)
    edge = Text(f"{scene.look.signs.edge} ", palette.accent)
    drawn = []
    for line in [*lines, Text()]:
        banner = fit(edge.copy().append_text(Text().append_text(line)), page.width)
        banner.stylize_before(f"on {palette.raised}")
        drawn.append(banner)
    return drawn


def _payoffs(scene: Scene, outcome: Outcome, room: int) -> list[Text]:
    """Credits or points by seat, winners first, as many to a line as fit."""
    table, look = scene.focus.table, scene.look
    roles = table.game.scoring.roles if table is not None else {}
    points = all(roles.get(role) is None for role in outcome.roles)
    most = max(outcome.payoffs, default=0)
    level = len(set(outcome.payoffs)) < 2
    title = Text("points  " if points else "credits  ", look.palette.soft)
    entries = []
    order = sorted(
        range(len(outcome.payoffs)),
        key=lambda seat: (seat not in outcome.winners, -outcome.payoffs[seat]),
    )
    for seat in order:
        entry = Text.assemble(scene.letters(seat), " ")
        if seat in outcome.winners:
            entry.append(f"{look.signs.won} ", look.palette.warn)
        elif not outcome.winners and outcome.payoffs[seat] == most and not level:
            entry.append(f"{look.signs.most} ", look.palette.soft)
        entry.append(f"{round(outcome.payoffs[seat], 2):g}", f"bold {look.palette.text}")
        entries.append(entry)
    first, *more = flowed(entries, room - title.cell_len, 3)
    blank = Text(" " * title.cell_len)
    return [Text.assemble(title, first), *(Text.assemble(blank, line) for line in more)]


# --- Those who are waited for, and what went wrong


def waiting_lines(page: TalkPage) -> list[Text]:
    """A line for each player that is waited for, with what it does meanwhile."""
    scene, lines = page.scene, []
    table = scene.focus.table
    if table is None or table.pending is None:
        return []
    doing = one_line(table.game.texts.pending.get(table.pending.kind, "is asked"))
    style = f"italic {scene.look.palette.faint}"
    for seat in sorted(scene.waiting.intersection(range(len(scene.people)))):
        words = f"{doing} {scene.look.signs.pending}{_call_words(scene, seat)}"
        lines.append(page.head(seat, pending=True).append("  ").append(words, style))
    return lines


def _call_words(scene: Scene, seat: int) -> str:
    """The age of a model's call, its speed, and for who sees everything its first words."""
    call = scene.calls.get(seat)
    if call is None:
        return ""
    words = f" {call.age:.0f} s"
    if call.speed is not None:
        words += f", {call.speed:.0f} tokens a second"
    if call.words and scene.viewer is None:
        words += f": {one_line(call.words)}"
    return words


def trouble_lines(page: TalkPage) -> list[Text]:
    """The reason why a match cannot go on, or is not shown."""
    focus, look = page.scene.focus, page.scene.look
    if focus.match.frozen:
        words = f"frozen, cannot continue: {one_line(focus.match.frozen)}"
    elif focus.trouble:
        words = one_line(focus.trouble)
    else:
        return []
    if focus.barred:
        return wrapped(Text(words, look.palette.soft), page.width)
    lead = Text(f"{look.signs.failed} ", f"bold {look.palette.bad}")
    return page.beside(lead, Text(words, f"bold {look.palette.bad}"))


# --- Blocks

EACH: dict[type, Callable[[TalkPage, Any], list[Text]]] = {
    Heading: _heading,
    Note: _note,
    Secret: _secret,
    Said: _said,
    Ballot: _ballot,
    Approvals: _approvals,
    Proposal: _proposal,
    Chosen: _chosen,
    FaultLine: _fault,
    Ending: _ending,
}
"""The lines of an item by its kind."""
TOGETHER: dict[type, Callable[[TalkPage, Sequence[Any]], list[Text]]] = {
    Fact: _facts,
    Aside: _asides,
    Action: _actions,
}
"""The lines of neighbours of a kind whose parts stand in columns, or whose reasons follow all."""


def blocks(items: Sequence[TalkItem]) -> list[Block]:
    """The items in blocks."""
    grouped: list[list[TalkItem]] = []
    for item in items:
        alone = isinstance(item, Said)
        if grouped and not alone and type(grouped[-1][0]) is type(item):
            grouped[-1].append(item)
        else:
            grouped.append([item])
    return [tuple(group) for group in grouped]


class DrawnBlocks:
    """Lines of blocks by the page they are on: a conversation grows, but changes at its end alone.

    All are dropped once there are too many.
    """

    def __init__(self) -> None:
        self._pages: dict[object, dict[Block, list[Text]]] = {}
        self._count = 0

    def lines(self, page: TalkPage, block: Block) -> list[Text]:
        """The lines of a block, each exactly as wide as the page; not to be changed."""
        if isinstance(block[0], Ending):  # needs the outcome, which is no part of the key
            return _lines(page, block)
        of_page = self._pages.setdefault(page.key, {})
        try:
            known = of_page.get(block)
        except TypeError:  # an item of another package with a list in it
            return _lines(page, block)
        if known is None:
            if self._count > MOST_LINES:
                self._pages, self._count = {}, 0
                of_page = self._pages.setdefault(page.key, {})
            known = of_page[block] = _lines(page, block)
            self._count += len(known)
        return known


def _lines(page: TalkPage, block: Block) -> list[Text]:
    kind = type(block[0])
    if kind in TOGETHER:
        lines = TOGETHER[kind](page, block)
    else:
        lines = list(chain.from_iterable(EACH[kind](page, item) for item in block))
    return [fit(line, page.width) for line in lines]


_drawn = DrawnBlocks()
block_lines = _drawn.lines
"""The lines of a block, drawn once for each look and width."""


# --- The items of a match


def drawn(scene: Scene, draw: Callable[[Sequence[TalkItem]], T]) -> T | None:
    """A drawing of the conversation as its viewer sees it; None if the match has no table.

    Where the game has no talk, or one that cannot be drawn, the sentences of the events stand in:
    a game's code is not trusted to fit every match.
    """
    table = scene.focus.table
    if table is None:
        return None
    events = table.so_far if scene.viewer is None else scene.events
    try:
        items = table.game.talk(table.seats, events, scene.outcome)
        if items:
            return draw(items)
    except Exception:  # a game of another package can raise anything
        pass
    return draw(tuple(_sentences(scene, events)))


def _sentences(scene: Scene, events: Sequence[Event]) -> Iterator[TalkItem]:
    """Yields the events in the words of a transcript, and the ending."""
    table, round = scene.focus.table, 0
    assert table is not None
    for event in transcript(table.game, events):
        if event.round != round:
            round = event.round
            yield Heading(f"round {round}")
        speaker = event.record.get("speaker") if event.by is None else event.by
        who, _, words = sentence(table.game, event).partition(": ")
        if type(speaker) is int and speaker in range(len(scene.people)):
            words = words.removeprefix(f"{player(speaker)} ")
            kind = FaultLine if event.fault is not None else Action
            yield kind(Seat(speaker), words)
        elif event.to:
            yield Secret(words, event.to)
        else:
            yield Note(words or who)
    if scene.outcome is not None:
        ending = scene.outcome.ending
        yield Ending(table.game.texts.endings.get(ending, ending))
