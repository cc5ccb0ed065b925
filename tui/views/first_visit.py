"""The first visit, where there are no saves: the wordmark and three ways to begin."""

from rich.text import Text

from parlour.tui.look.look import Look, fit
from parlour.tui.models.saves import FAMILIES

WORDMARK = (
    "█▀▀▄ ▄▀▀▄ █▀▀▄ █   ▄▀▀▄ █  █ █▀▀▄",
    "█▄▄▀ █▄▄█ █▄▄▀ █   █  █ █  █ █▄▄▀",
    "█    █  █ █ ▀▄ █▄▄ ▀▄▄▀ ▀▄▄▀ █ ▀▄",
)
PLAIN_WORDMARK = ("", "P A R L O U R", "")
SENTENCE = "Agents sit down at social games and play. You watch, steer and compare."
CARDS = (
    ("d", "Watch the demo", "four scripted players, all nine games, two minutes, free"),
    ("n", "New tournament", "tick games, pick agents, see what it costs, play"),
    ("p", "Presets", "the published experiments, ready to run"),
)
CARD_WIDTH = 66


def first_visit(look: Look, chosen: int, width: int, height: int) -> tuple[list[Text], int]:
    """The lines, centred, and the line on which the first card begins; ``chosen`` is a card."""
    palette = look.palette
    mark = WORDMARK if look.signs.braille else PLAIN_WORDMARK
    lines = [Text(row, palette.accent) for row in mark]
    names = Text("   ").join([_suit(family, look) for family in FAMILIES])
    lines += [Text(), names, Text(), Text(SENTENCE, palette.soft), Text()]
    if height >= 24:
        lines.append(Text())
    first = len(lines)
    for index, card in enumerate(CARDS):
        lines += [*_card(card, look, min(CARD_WIDTH, width), index == chosen), Text()]
    end = Text.assemble(
        ("Nothing is in ", palette.faint), ("saves/", palette.soft), (" yet.  ", palette.faint),
        ("?", f"bold {palette.accent}"), (" lists the keys of any screen, ", palette.faint),
        ("q", f"bold {palette.accent}"), (" leaves.", palette.faint),
    )  # fmt: skip
    lines.append(end)
    above = max(0, height - len(lines)) // 2
    centred = [fit(line, width, align="center") for line in [Text()] * above + lines]
    return centred, above + first


def _suit(family: str, look: Look) -> Text:
    sign = Text(f"{look.signs.suits[family]} ", look.palette.text)
    return sign.append(family, look.palette.soft)


def _card(card: tuple[str, str, str], look: Look, width: int, chosen: bool) -> list[Text]:
    key, title, words = card
    palette = look.palette
    edge = look.signs.edge if chosen else " "
    on_key = f"{palette.on_chip} on {palette.accent}" if chosen else palette.accent
    first = Text.assemble(
        (f"{edge}  ", palette.accent), (f" {key} ", f"bold {on_key}"),
        ("  ", ""), (title, f"bold {palette.text}"),
    )  # fmt: skip
    second = Text.assemble((f"{edge}       ", palette.accent), (words, palette.soft))
    lines = [fit(first, width), fit(second, width)]
    for line in lines:
        line.stylize_before(f"on {palette.raised if chosen else palette.panel}")
    return lines
