"""Colours of the pages: the tokens of the screens by day and by night, as CSS variables."""

from parlour.tui.look.palette import DAY, NIGHT, Palette, Ramp, contrast

READABLE = 4.5
"""The least contrast of ink on its ground (WCAG 2.2, AA)."""
TOKENS = ("bg", "panel", "raised", "rule", "grid", "text", "soft", "faint", "accent", "accent_dim",
          "good", "warn", "bad", "on_chip", "cooperate", "defect", "on_cell", "helped",
          "refused")  # fmt: skip


def theme_tokens(palette: Palette) -> dict[str, str]:
    """The CSS variables of a theme."""
    tokens = {name.replace("_", "-"): getattr(palette, name) for name in TOKENS}
    tokens |= {f"p{index}": colour for index, colour in enumerate(palette.people)}
    for sign, ramp in (("h", palette.heat), ("d", palette.strength)):
        tokens |= _ramp(sign, ramp, palette)
    return tokens


def _ramp(sign: str, ramp: Ramp, palette: Palette) -> dict[str, str]:
    """The grounds of a ramp, with inks that can be read on them."""
    tokens = {}
    for index, (colour, ink) in enumerate(zip(ramp.colours, ramp.inks, strict=True)):
        inks = (ink, palette.text, "#FFFFFF", "#000000")
        readable = [each for each in inks if contrast(each, colour) >= READABLE]
        tokens[f"{sign}{index}"] = colour
        tokens[f"{sign}{index}-ink"] = readable[0]
    return tokens


THEMES = {"light": theme_tokens(DAY), "dark": theme_tokens(NIGHT)}
