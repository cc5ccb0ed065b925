"""The frame of every page: header with the state, navigation, footer, colours; and its bytes.

A page is made by ``render``: a template of ``templates/``, the frame of its save and its address.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from parlour.site.addresses import link
from parlour.site.repeat import Repeat
from parlour.tui.look.palette import DAY, NIGHT, Palette, Ramp, contrast

TEMPLATES = Path(__file__).parent / "templates"
NAVIGATION = (
    *(("standings", "Standings", ""), ("agents", "Agents", "agents/")),
    *(("matches", "Matches", "matches/"), ("meetings", "Meetings", "meetings/")),
)
"""Key, title and address of each tab."""
PILLS = {
    "running": ("►", "accent"),
    "paused": ("‖", "warn"),
    "finished": ("✓", "good"),
    "stopped": ("○", "warn"),
    "failed": ("✗", "bad"),
}
"""The sign and the token of each state."""


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The parts that every page of a save has.

    ``state`` is a key of ``PILLS``; ``facts`` are the counts beside it, the first one bold.
    ``done`` and ``playing`` are shares of all matches. ``repeat`` plays the tournament again,
    and ``caveat`` says what the figures hold for. ``live`` adds the tab of the live page.
    ``folder`` is that of the save in a site of several, and ``home`` marks the first page of
    these.
    """

    name: str
    state: str
    facts: Sequence[str]
    done: float
    playing: float
    repeat: Repeat
    version: str
    time: str
    caveat: str = ""
    live: bool = False
    home: bool = False
    folder: str = ""

    @property
    def pill(self) -> tuple[str, str]:
        """The sign and the token of the state."""
        return PILLS[self.state]

    @property
    def tabs(self) -> Sequence[tuple[str, str, str]]:
        """Key, title and address of each tab."""
        return (
            () if self.home else (*NAVIGATION, *((("live", "Live", "live/"),) if self.live else ()))
        )


# --- Colours: the tokens of the screens by day and by night, as CSS variables

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


@cache
def environment() -> Environment:
    """The templates; every text in them is escaped."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(
    template: str, frame: PageFrame, address: str, tab: str, title: str, **context: object
) -> bytes:
    """The page at an address of a save.

    In templates ``to(address)`` is the link to another one of the save, ``shared(address)`` to one
    of the whole site.
    """
    to, shared = partial(link, address), partial(link, frame.folder + address)
    words: dict[str, object] = {"frame": frame, "address": address, "tab": tab, "title": title}
    words |= {"to": to, "shared": shared}
    return environment().get_template(template).render(**words, **context).encode()


def shared_files() -> dict[str, bytes]:
    """The files that all pages use, by address: the style and the script."""
    style = environment().get_template("style.css.j2").render(themes=THEMES)
    return {"style.css": style.encode(), "site.js": script()}


def script() -> bytes:
    """The script of all pages."""
    return b"".join((TEMPLATES / f"{name}.js").read_bytes() for name in ("site", "match", "live"))
