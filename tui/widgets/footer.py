"""The footer: the keys of the screen and of the focused pane, in one line of text.

Textual's own has one widget for each key and builds all of them again whenever the focus moves,
which took two thirds of the time of a Tab on the live screen. This one draws one line.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from rich.text import Text
from textual.binding import ActiveBinding
from textual.events import Leave, MouseDown, MouseMove
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class Hint:
    """One entry of the footer: the actions whose keys stand together, and words for them.

    ``shorter`` are the words where not all entries fit. ``between`` stands between two keys.
    """

    actions: tuple[str, ...]
    words: str
    shorter: str = ""
    between: str = " "


def _one(action: str, words: str, shorter: str = "") -> Hint:
    return Hint((action,), words, shorter)


ORDER: Sequence[Hint] = (
    Hint(("wall.left", "wall.up", "wall.right", "wall.down"), "choose", between=""),
    _one("wall.zoom", "zoom"),
    Hint(("replay.back", "replay.forward"), "ask back, forward", "ask"),
    Hint(("replay.round", "replay.next_round"), "round"),
    Hint(("replay.start", "replay.end"), "edges"),
    _one("match.why", "why"),
    Hint(("thoughts.next", "thoughts.previous"), "whose"),
    Hint(("thoughts.earlier", "thoughts.later"), "earlier, later", "when"),
    Hint(("board.overall", "board.conduct"), "view", between="–"),
    Hint(("who.next", "who.previous"), "agents"),
    _one("live.pause", "pause"),
    _one("wall.order", "order"),
    _one("live.turn", "step"),
    _one("list.open", "open"),
    _one("board.open", "agent"),
    _one("home.open", "open"),
    _one("home.demo", "demo"),
    _one("home.new", "new tournament"),
    _one("home.preset", "presets"),
    _one("home.theme", "theme"),
    _one("live.leaderboard", "leaderboard", "ranks"),
    _one("home.leaderboard", "leaderboard"),
    _one("home.find", "find"),
    _one("board.compare", "compare"),
    _one("who.compare", "compare"),
    Hint(("board.accused", "board.helped"), "accused, helped"),
    Hint(("board.more_ties", "board.fewer_ties"), "ties"),
    _one("board.race_game", "game"),
    _one("board.ranks", "as ranks"),
    _one("board.export", "export"),
    _one("board.faults", "without faults", "faults"),
    _one("new.next", "next pane", "pane"),
    _one("fields.tick", "tick"),
    _one("new.save", "save file", "save"),
    _one("new.play", "save and play", "play"),
)
"""Entries in the order of the footer; keys that stand nowhere here follow, then help and the end.

An entry of several actions is in the footer wherever they have keys, one of a single action only
where its binding is shown.
"""
HELP, LEAVE = "app.help", "app.leave"
WAYS_BACK = (".back", ".close", ".rise")
"""Ends of the actions that leave a screen for the one before: with them, leaving is not named."""
MOST = 6
"""The most entries of a footer."""


class FooterKey(NamedTuple):
    """A key in the footer; ``start`` and ``end`` are its columns."""

    key: str
    display: str
    description: str
    action: str
    tooltip: str
    start: int
    end: int


Entry = tuple[Hint, list[ActiveBinding]]
"""An entry of the footer with a binding for each of its actions."""


def _entries(bindings: Iterable[ActiveBinding]) -> list[Entry]:
    """The entries of a screen in their order: its keys, help, and the way out, at most six."""
    active: dict[str, ActiveBinding] = {}
    for each in bindings:
        if each.binding.id is not None:
            active.setdefault(each.binding.id, each)
    shown = [id for id, each in active.items() if each.binding.show]
    entries: list[Entry] = []
    for hint in ORDER:
        group = [active[id] for id in hint.actions if id in active]
        wanted = len(hint.actions) > 1 or hint.actions[0] in shown
        if wanted and len(group) == len(hint.actions):
            entries.append((hint, group))
    ordered: set[str] = set()
    for hint, _group in entries:
        ordered.update(hint.actions)
    others = [id for id in shown if id not in ordered]
    way_out = next((id for id in others if id.endswith(WAYS_BACK)), LEAVE)
    last = [id for id in (HELP, way_out) if id in shown]
    entries += [_entry(active[id]) for id in others if id not in (HELP, LEAVE, way_out)]
    return [*entries[: MOST - len(last)], *(_entry(active[id]) for id in last)]


def _entry(active: ActiveBinding) -> Entry:
    """An entry that is in no order of ours: its own words, in small letters."""
    words = active.binding.description
    return Hint((str(active.binding.id),), words[:1].lower() + words[1:]), [active]


class KeyFooter(Widget):
    """The shown bindings, one for each action, behind a few words. A click presses the key."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"footer--key", "footer--description", "footer--hover"}
    # Colours as in Textual's footer, so that themes apply.
    DEFAULT_CSS = """
    KeyFooter {
        dock: bottom; height: 1; text-wrap: nowrap; text-overflow: clip;
        color: $footer-foreground; background: $footer-background;
        .footer--key {
            color: $footer-key-foreground; background: $footer-key-background; text-style: bold;
        }
        .footer--description {
            color: $footer-description-foreground; background: $footer-description-background;
        }
        .footer--hover { color: $footer-key-foreground; background: $block-hover-background; }
    }
    """
    keys: reactive[tuple[FooterKey, ...]] = reactive(())
    lead: reactive[Text] = reactive(Text())
    """The words before the keys, such as whose turn it is."""
    hovered: reactive[FooterKey | None] = reactive(None)

    def __init__(self) -> None:
        super().__init__()
        self._entries: list[Entry] = []

    def on_mount(self) -> None:
        """Follows the bindings of the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._update)

    def on_unmount(self) -> None:
        """Stops following them."""
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _update(self, screen: Screen[Any]) -> None:
        # A terminal in the background has no focused pane; its footer stays as it was.
        if not self.app.app_focus or screen is not self.screen:
            return
        self._entries = _entries(screen.active_bindings.values())
        self._place()

    def on_resize(self) -> None:
        """Shortens the words where there is less room."""
        self._place()

    def _place(self) -> None:
        """Gives each entry its columns.

        Without room for all, words become shorter, then entries go; help stays.
        """
        width = self.size.width or self.app.size.width
        entries = self._entries
        short = False
        keys = self._placed(entries, short=short)
        while len(entries) > 1 and keys[-1].end > width:
            if short:
                spare = [entry for entry in entries if entry[0].actions != (HELP,)]
                entries = [entry for entry in entries if entry is not spare[-1]]
            short = True
            keys = self._placed(entries, short=short)
        self.keys = tuple(keys)

    def _placed(self, entries: Sequence[Entry], *, short: bool) -> list[FooterKey]:
        keys: list[FooterKey] = []
        column = 0
        for hint, group in entries:
            shown = [self.app.get_key_display(active.binding) for active in group]
            display = hint.between.join(shown)
            words = (hint.shorter or hint.words) if short else hint.words
            end = column + Text(f" {display} {words}  ").cell_len
            active = group[-1]
            key = active.binding
            keys.append(FooterKey(key.key, display, words, key.action, active.tooltip, column, end))
            column = end
        return keys

    def render(self) -> Text:
        """The words, then the line of keys."""
        key_style = self.get_component_rich_style("footer--key")
        description_style = self.get_component_rich_style("footer--description")
        hover_style = self.get_component_rich_style("footer--hover", partial=True)
        line = Text(no_wrap=True).append_text(self.lead)
        for key in self.keys:
            part = Text.assemble(
                (f" {key.display} ", key_style), (f"{key.description}  ", description_style)
            )
            if key == self.hovered:
                part.stylize(hover_style)
            line.append_text(part)
        return line

    def on_mouse_move(self, event: MouseMove) -> None:
        """Highlights the key under the mouse."""
        self.hovered = self._key_at(event.x)

    def on_leave(self, _event: Leave) -> None:
        """Highlights no key."""
        self.hovered = None

    def watch_hovered(self) -> None:
        """Sets the tooltip and the pointer to those of the key."""
        self.tooltip = self.hovered.tooltip if self.hovered else None
        self.styles.pointer = "pointer" if self.hovered else "default"

    def on_mouse_down(self, event: MouseDown) -> None:
        """Presses the key under the mouse."""
        key = self._key_at(event.x)
        if key is not None:
            self.app.simulate_key(key.key)

    def _key_at(self, column: int) -> FooterKey | None:
        column -= self.lead.cell_len
        return next((key for key in self.keys if key.start <= column < key.end), None)
