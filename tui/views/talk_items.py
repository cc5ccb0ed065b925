"""Lines of a conversation, one function for each kind of item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from rich.cells import cell_len
from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.talk import (
    Approvals,
    Aside,
    Ballot,
    Fact,
    Heading,
    Note,
    Proposal,
    Said,
    Secret,
    Vote,
)
from parlour.tui.look.look import fit, spread, wrapped
from parlour.tui.text import typed
from parlour.tui.views.boards.matrix import sign_cell
from parlour.tui.views.scene import Scene

NOBODY = "–"
WORDY = 44
"""Columns from which the word "proposes" has room."""


@dataclass(frozen=True, slots=True)
class Page:
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


def rule(page: Page, words: Text, right: str = "") -> Text:
    """A line across with words of the game."""
    return page.scene.look.rule(page.width, fit(words, min(words.cell_len, page.width - 5)), right)


def heading_lines(page: Page, items: Sequence[Heading]) -> list[Text]:
    """A rule for each heading."""
    scene, palette = page.scene, page.scene.look.palette
    lines = []
    for item in items:
        words = scene.words(typed(item.words), f"bold {palette.soft}")
        if item.more:
            words = Text().append_text(words).append(" ")
            words.append_text(scene.words(typed(item.more), palette.soft))
        lines.append(rule(page, words))
    return lines


def note_lines(page: Page, items: Sequence[Note]) -> list[Text]:
    """Sentences of the game, faint."""
    lines = []
    for item in items:
        words = page.scene.words(one_line(item.words), page.scene.look.palette.faint)
        lines += wrapped(words, page.width)
    return lines


def fact_lines(page: Page, items: Sequence[Fact]) -> list[Text]:
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


LEAST_NAME = 10
"""The least columns for the first column of a fact."""


def secret_lines(page: Page, items: Sequence[Secret]) -> list[Text]:
    """A private line for each secret, with those who were told; a seat reads what it was told."""
    palette = page.scene.look.palette
    lines = []
    for item in items:
        if page.scene.is_seat and item.own:
            own = page.scene.words(one_line(item.own), palette.soft)
            lines += page.private(with_quotes(own, palette.text))
            continue
        words = with_quotes(page.scene.words(one_line(item.words), palette.faint), palette.soft)
        words = Text().append_text(words).append("  to ", palette.faint)
        lines += page.private(words.append_text(page.scene.all_letters(item.to)))
    return lines


def with_quotes(text: Text, colour: str) -> Text:
    """A text with the words in typographic quotation marks in italics."""
    text.highlight_regex(r"“[^”]*”", style=f"italic {colour}")
    return text


def said_lines(page: Page, items: Sequence[Said]) -> list[Text]:
    """Chip and name, the tone where it is gossip, and the words below."""
    scene, palette = page.scene, page.scene.look.palette
    lines: list[Text] = []
    for item in items:
        lines.append(_said_head(page, item))
        if item.text.strip():
            words = scene.words(one_line(item.text), palette.text, quoted=True)
            lines += wrapped(words, page.width, page.indent)
        lines += page.reason(scene.letters(item.speaker).append(" "), item.reason)
    return lines


def _said_head(page: Page, item: Said) -> Text:
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


def aside_lines(page: Page, items: Sequence[Aside]) -> list[Text]:
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
        line = Text().append_text(scene.letters(seat))
        if isinstance(answer, str):
            style = f"bold {palette.text}" if answer == "yes" else palette.soft
            yield line.append(" ").append_text(Text(one_line(answer), style))
            continue
        line.append(signs.closed, palette.faint)
        target = Text(NOBODY, palette.faint) if answer is None else scene.letters(answer)
        yield line.append_text(target)


def ballot_lines(page: Page, items: Sequence[Ballot]) -> list[Text]:
    """A rule, a line for each who got votes, most first, and the private reasons."""
    lines = []
    for item in items:
        palette, count = page.scene.look.palette, len(item.votes)
        so_far = f"{count} of {item.voters} in" if count < item.voters else f"{count} votes"
        so_far = "votes of others hidden" if _others_hidden(page, item) else so_far
        lines.append(rule(page, Text("ballot", f"bold {palette.soft}"), so_far))
        targets = [vote.target for vote in item.votes]
        ranked = sorted(dict.fromkeys(targets), key=partial(_rank, targets))
        lines += [_votes_for(page, item, target) for target in ranked]
        for vote in item.votes:
            lines += _vote_reason(page, vote)
    return lines


def _others_hidden(page: Page, ballot: Ballot) -> bool:
    """True if a seat knows its own vote alone."""
    return page.scene.is_seat and len(ballot.votes) < ballot.voters


def _rank(targets: Sequence[int | None], target: int | None) -> tuple[bool, int]:
    """Most votes first; votes for nobody stand last."""
    return target is None, -targets.count(target)


def _votes_for(page: Page, ballot: Ballot, target: int | None) -> Text:
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


def _vote_reason(page: Page, vote: Vote) -> list[Text]:
    scene, palette = page.scene, page.scene.look.palette
    target = Text(NOBODY, palette.faint) if vote.target is None else scene.letters(vote.target)
    lead = Text().append_text(scene.letters(vote.voter))
    lead.append(f" {scene.look.signs.closed} ", palette.faint).append_text(target).append("  ")
    lines = page.reason(lead, vote.reason)
    if vote.declares:
        lines += page.private(scene.words(one_line(vote.declares), palette.text))
    return lines


def approval_lines(page: Page, items: Sequence[Approvals]) -> list[Text]:
    """All votes in one line with the result so far, and the private reasons."""
    scene, look = page.scene, page.scene.look
    lines: list[Text] = []
    for item in items:
        chosen = {vote.voter: vote.target for vote in item.votes}
        pairs = []
        for seat in item.voters:
            pair = Text().append_text(scene.letters(seat))
            pair.append(f" {look.signs.closed} ", look.palette.faint)
            target = chosen.get(seat)
            sign = NOBODY if seat in chosen else look.signs.pending
            pairs.append(pair.append(sign) if target is None else pair + scene.letters(target))
        votes = Text().append("votes  ", look.palette.faint).append_text(Text("   ").join(pairs))
        result = scene.words(one_line(item.result), look.palette.soft)
        result.highlight_regex(r"^\d+ of \d+", style=f"bold {look.palette.text}")
        if votes.cell_len + result.cell_len + 2 <= page.width:
            lines.append(spread(votes, result, page.width))
        else:
            lines += [votes, *wrapped(result, page.width)]
        for vote in item.votes:
            lines += page.reason(scene.letters(vote.voter).append(" "), vote.reason)
    return lines


def proposal_lines(page: Page, items: Sequence[Proposal]) -> list[Text]:
    """The part of each seat in a line for each proposal."""
    scene, palette = page.scene, page.scene.look.palette
    lines: list[Text] = []
    for item in items:
        line = page.head(item.seat, pad=True)
        line.append("  proposes " if page.width >= WORDY else "", palette.soft)
        lines.append(line.append("  ").append_text(parts_of(scene, item)))
        lines += page.reason(scene.letters(item.seat).append(" "), item.reason)
    return lines


def parts_of(scene: Scene, item: Proposal) -> Text:
    """The parts of a proposal by seat."""
    parts = []
    for seat, part in enumerate(item.parts):
        number = f"{part:>4g}"
        parts.append(scene.letters(seat).append(number, f"bold {scene.look.palette.text}"))
    return Text("  ").join(parts)
