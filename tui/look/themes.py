"""Themes: two of our own, one for 16 colours, and the palette of any theme of Textual."""

import os
from dataclasses import replace

from textual.color import Color
from textual.theme import Theme

from parlour.tui.look.palette import DAY, NIGHT, SIXTEEN, Palette

NAMES = {"parlour-night": NIGHT, "parlour-day": DAY, "parlour-16": SIXTEEN}
"""The palettes of our own themes."""
_TOKENS = (
    *("bg", "panel", "raised", "cursor", "rule", "grid", "text", "soft", "faint", "accent"),
    *("accent_dim", "good", "warn", "bad", "on_chip"),
)


def variables(palette: Palette) -> dict[str, str]:
    """The tokens as variables of style sheets, such as ``$look-rule``."""
    return {f"look-{name.replace('_', '-')}": _css(getattr(palette, name)) for name in _TOKENS}


def _css(colour: str) -> str:
    """A colour as style sheets write it."""
    if colour == "default":
        return "ansi_default"
    if colour.startswith("color("):
        names = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
        number = int(colour[6:-1])
        return f"ansi_{'bright_' if number > 7 else ''}{names[number % 8]}"
    return colour


def own_themes() -> list[Theme]:
    """The themes that the app registers."""
    return [_theme(name, palette) for name, palette in NAMES.items()]


def _theme(name: str, palette: Palette) -> Theme:
    tokens = variables(palette)
    own = {
        "border": tokens["look-accent"],
        "border-blurred": tokens["look-rule"],
        "block-cursor-background": tokens["look-cursor"],
        "block-cursor-foreground": tokens["look-text"],
        "input-selection-background": tokens["look-cursor"],
        "footer-key-foreground": tokens["look-accent"],
        "scrollbar": tokens["look-rule"],
        "scrollbar-background": tokens["look-bg"],
    }
    return Theme(
        name=name,
        primary=tokens["look-accent"],
        secondary=tokens["look-rule"],
        accent=tokens["look-accent"],
        foreground=tokens["look-text"],
        background=tokens["look-bg"],
        surface=tokens["look-panel"],
        panel=tokens["look-panel"],
        success=tokens["look-good"],
        warning=tokens["look-warn"],
        error=tokens["look-bad"],
        dark=palette.dark,
        variables={**own, **tokens},
    )


def palette_of(theme: Theme) -> Palette:
    """The palette of a theme: its own tokens, or those that its colours make."""
    own = NAMES.get(theme.name)
    if own is not None:
        return own
    base = NIGHT if theme.dark else DAY
    bg = _parsed(theme.background, base.bg)
    ink = _parsed(theme.foreground, base.text)
    accent = _parsed(theme.primary, base.accent)
    if bg.ansi is not None or ink.ansi is not None:
        return replace(SIXTEEN, dark=theme.dark)
    return replace(
        base,
        bg=bg.hex6,
        panel=_parsed(theme.panel or theme.surface, bg.blend(ink, 0.05).hex6).hex6,
        raised=bg.blend(ink, 0.12).hex6,
        cursor=bg.blend(accent, 0.25).hex6,
        rule=bg.blend(ink, 0.22).hex6,
        grid=bg.blend(ink, 0.12).hex6,
        text=ink.hex6,
        soft=bg.blend(ink, 0.7).hex6,
        faint=bg.blend(ink, 0.5).hex6,
        accent=accent.hex6,
        accent_dim=bg.blend(accent, 0.5).hex6,
        good=_parsed(theme.success, base.good).hex6,
        warn=_parsed(theme.warning, base.warn).hex6,
        bad=_parsed(theme.error, base.bad).hex6,
    )


def _parsed(colour: str | None, default: str) -> Color:
    return Color.parse(colour or default)


def default_theme() -> str:
    """The theme of a first start: the one for 16 colours where the terminal has no more."""
    plain = os.environ.get("TERM", "") in {"linux", "xterm", "screen", "vt100", "ansi"}
    more = os.environ.get("COLORTERM", "") in {"truecolor", "24bit"}
    return "parlour-16" if plain and not more else "parlour-night"
