"""A fork: the question whose answer changes, and both matches from where they part."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import chain

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.talk import Heading, TalkItem
from parlour.tournament.plan.schema import Fork
from parlour.tui.look.look import Look, fit, wrapped
from parlour.tui.models.save_view import SaveView
from parlour.tui.models.seat import Question
from parlour.tui.text import cut
from parlour.tui.views.header import header_lines
from parlour.tui.views.match_words import game_title, phase_of_table
from parlour.tui.views.run_header import run_state, trouble_lines, watched_pill
from parlour.tui.views.scene import Scene
from parlour.tui.views.seat_form import question_lines
from parlour.tui.views.states import centred
from parlour.tui.views.talk import ROOMY_HEIGHT, ROOMY_WIDTH, apart, cast_line
from parlour.tui.views.talk_items import TalkPage, block_lines, blocks, drawn, waiting_lines
from parlour.tui.views.talk_items import trouble_lines as match_trouble

WORD = "Fork"
TITLES = ("As it went", "The fork")
EDGE = 2
"""Columns at the left of a line, with a sign where the other match has no such line."""
BARRED = ("A person plays in this fork: it opens when it is over.", "s takes the seat")
SAME, HINTED = "the same before this", 39
"""Words over what differs, and the columns from which a hint stands beside them."""
YOU = " (you)"
"""Words of a form for the player who fills it in, which the maker of a fork is not."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A block of a conversation: its first item and its lines."""

    item: TalkItem
    lines: Sequence[Text]

    @property
    def words(self) -> list[str]:
        """The lines as plain text."""
        return [line.plain for line in self.lines]


def fork_lines(scene: Scene, other: Scene, width: int, height: int) -> list[Text]:
    """One of two matches, from the round in which they part.

    A sign marks the lines that the other match does not have. Both are compared with the people
    of this one: a seat that another agent plays differs in what it says and does alone.
    """
    if scene.focus.barred:
        return centred(scene.look, BARRED, width, height)
    page = TalkPage(scene, max(1, width - EDGE))
    own = _drawn(page)
    theirs = _drawn(TalkPage(replace(other, people=scene.people), page.width))
    shared = _shared(own, theirs)
    first = _round_of(own, shared)
    roomy = page.width >= ROOMY_WIDTH and height >= ROOMY_HEIGHT
    hint = "r shows all" if width >= HINTED else ""
    lines = [scene.look.rule(width, SAME, hint)] if first else []
    lines += _marked(page, own, theirs, first, shared, roomy)
    if shared == len(own):
        lines += _note(page, "Nothing differs." if len(own) == len(theirs) else "No further yet.")
    ends = [*waiting_lines(page), *match_trouble(page)]
    return [*lines, *(_beside(page, line, differs=False) for line in ends)]


def _drawn(page: TalkPage) -> list[Drawn]:
    """The conversation in blocks; none for a match that is hidden or has not begun."""

    def draw(items: Sequence[TalkItem]) -> list[Drawn]:
        return [Drawn(block[0], block_lines(page, block)) for block in blocks(items)]

    return drawn(page.scene, draw) or []


def _shared(own: Sequence[Drawn], theirs: Sequence[Drawn]) -> int:
    """The number of blocks at the start that both matches have."""
    shared = 0
    while shared < min(len(own), len(theirs)) and own[shared].words == theirs[shared].words:
        shared += 1
    return shared


def _round_of(own: Sequence[Drawn], shared: int) -> int:
    """The heading of the round in which the matches part, 0 if there is none."""
    before = range(min(shared, len(own) - 1), -1, -1)
    return next((place for place in before if isinstance(own[place].item, Heading)), 0)


def _marked(
    page: TalkPage,
    own: Sequence[Drawn],
    theirs: Sequence[Drawn],
    first: int,
    shared: int,
    roomy: bool,
) -> list[Text]:
    """The lines of all blocks from the first on, those marked that the other match lacks."""
    lines: list[Text] = []
    differing = _differing(own[shared:], theirs[shared:])
    number = 0
    for place in range(first, len(own)):
        block = own[place]
        if place > first and apart(own[place - 1].item, block.item, roomy):
            lines.append(_beside(page, Text(), differs=False))
        for line in block.lines:
            lines.append(_beside(page, line, differs=place >= shared and number in differing))
            number += place >= shared
    return lines


def _differing(own: Sequence[Drawn], theirs: Sequence[Drawn]) -> Collection[int]:
    """The places of the lines of a match that the other one does not have there."""
    words = list(chain.from_iterable(block.words for block in own))
    others = list(chain.from_iterable(block.words for block in theirs))
    same = SequenceMatcher(None, words, others).get_matching_blocks()
    places = set(range(len(words)))
    for match in same:
        places -= set(range(match.a, match.a + match.size))
    return places


def _beside(page: TalkPage, line: Text, *, differs: bool) -> Text:
    """A line behind the sign of a difference, or behind blanks."""
    look = page.scene.look
    edge = Text(no_wrap=True).append(look.signs.edge if differs else " ", look.palette.warn)
    return edge.append(" ").append_text(fit(line, page.width))


def _note(page: TalkPage, words: str) -> list[Text]:
    style = page.scene.look.palette.soft
    lines = wrapped(Text(words, style), page.width)
    return [_beside(page, line, differs=False) for line in lines]


# --- Header and titles


@dataclass(frozen=True, slots=True)
class ForkedPair:
    """A fork, the match that it comes from, and where the one begins to differ."""

    fork: SaveView
    origin: SaveView
    at: Fork

    @property
    def change(self) -> str:
        """The change in words: another answer, or another player."""
        after, before = self.fork.focus, self.origin.focus
        if after is None or before is None:
            return ""
        old, new = before.match.agents[self.at.seat], after.match.agents[self.at.seat]
        if old == new:
            return f"another answer of {cut(old, 30)}"
        return f"{cut(new, 30)} in place of {cut(old, 30)}"


def fork_header(pair: ForkedPair, look: Look, width: int, tabs: Text | None = None) -> list[Text]:
    """The match and the change, the state of the fork, its progress, and what is wrong."""
    palette, focus = look.palette, pair.fork.focus
    left = Text(no_wrap=True)
    if focus is not None:
        left.append(game_title(look, pair.fork.games[focus.match.game]), f"bold {palette.text}")
    left.append(f" · match {pair.at.match} of {one_line(pair.at.save)}", palette.soft)
    left.append(" ").append_text(watched_pill(pair.fork, look))
    right = Text(f"ask {pair.at.ask}: {pair.change}", palette.text, no_wrap=True)
    if left.cell_len + right.cell_len + len(WORD) + 6 > width:
        right = Text(no_wrap=True)
    answers = 0 if focus is None else len(focus.answers)
    over = pair.fork.progress.done
    share = 1.0 if over else answers / max(1, pair.fork.expected[0])
    below = look.progress(share, width) if tabs is None else tabs
    lines = header_lines(look, WORD, left, right, width, below)
    lines += trouble_lines(look, pair.fork, width, with_money=False)
    for trouble in filter(None, (pair.fork.trouble, pair.origin.trouble)):
        words = f"{look.signs.edge} {look.signs.failed} {one_line(trouble)}"
        lines.append(fit(Text(words, f"bold {palette.bad}"), width))
    return lines


def pair_titles(pair: ForkedPair, look: Look) -> list[Text]:
    """The titles of both panes, with the keys that go to them."""
    more = (f"match {pair.at.match}", f"ask {pair.at.ask}: {pair.change}")
    return [
        look.title(str(number), words, detail)
        for number, (words, detail) in enumerate(zip(TITLES, more, strict=True), start=1)
    ]


def progress_words(view: SaveView, look: Look) -> str:
    """The state of one of the matches in words: how it ended, or where it stands."""
    focus = view.focus
    if focus is None:
        return ""
    if focus.match.frozen is not None:
        return "frozen, cannot continue"
    if focus.barred:
        return "a person plays"
    phase = one_line(phase_of_table(view, focus))
    if focus.match.outcome is not None:
        return f"finished: {phase}"
    if view.live is not None and any(person.asks for person in view.live.people.values()):
        return f"waits for a person: {phase}"
    fix = ", enter opens it" if view.state == "not running" else ""
    return f"{run_state(view.state, look).word}{fix}: {phase}"


# --- Another answer


def with_names(question: Question, scene: Scene) -> Question:
    """A question whose form names its players as the match does, and not by their numbers."""
    form = question.form
    labels = [scene.words(field.label).plain.replace(YOU, "") for field in form.fields]
    pairs = zip(form.fields, labels, strict=True)
    fields = tuple(replace(field, label=label) for field, label in pairs)
    return replace(question, form=replace(form, fields=fields))


def answer_lines(question: Question, scene: Scene, width: int) -> list[Text]:
    """The question to a seat, and who sits where."""
    return [*question_lines(question, scene, width), cast_line(scene, width)]
