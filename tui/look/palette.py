"""Colours of the program and of agents by night, by day and in 16 colours; and its signs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.color import Color, blend_rgb
from rich.color_triplet import ColorTriplet


@dataclass(frozen=True, slots=True)
class Ramp:
    """Background and ink of a value, in equal steps from the smallest to the largest."""

    colours: tuple[str, ...]
    inks: tuple[str, ...]

    def step(self, share: float) -> int:
        """The index of the step of a share from 0 to 1; shares outside are cut."""
        return min(len(self.colours) - 1, int(max(0.0, share) * len(self.colours)))


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme, as Rich writes them.

    ``people`` has the colours of agents in the order of the tournament; from the end on they
    repeat. ``heat`` is for shares from 0 to 1, ``strength`` for values from -1 to 1. ``exact`` is
    False where colours cannot be mixed, as on a terminal of 16 colours.
    """

    dark: bool
    bg: str
    panel: str
    raised: str
    cursor: str
    rule: str
    grid: str
    text: str
    soft: str
    faint: str
    accent: str
    accent_dim: str
    good: str
    warn: str
    bad: str
    on_chip: str
    cooperate: str
    defect: str
    on_cell: str
    helped: str
    refused: str
    people: tuple[str, ...]
    heat: Ramp
    strength: Ramp
    exact: bool

    def person(self, index: int) -> str:
        """The colour of the agent at this place of the tournament."""
        return self.people[index % len(self.people)]

    def dimmed(self, colour: str, share: float) -> str:
        """A colour mixed with ``share`` of the background; itself where colours cannot be mixed."""
        return mixed(colour, self.bg, share) if self.exact else colour


def mixed(colour: str, other: str, share: float) -> str:
    """A colour with ``share`` (0 to 1) of another one in it."""
    return blend_rgb(_triplet(colour), _triplet(other), share).hex


def _triplet(colour: str) -> ColorTriplet:
    return Color.parse(colour).get_truecolor()


def contrast(colour: str, other: str) -> float:
    """The contrast ratio of two colours, from 1 to 21. Source: WCAG 2.2, "contrast ratio"."""
    light, dark = sorted(map(_luminance, (colour, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = map(_linear, _triplet(colour).normalized)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _hexes(text: str) -> tuple[str, ...]:
    return tuple(f"#{word}" for word in text.split())


def _ansi(numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"color({number})" for number in numbers)


TABLE = """
bg          #14161C  #FBF9F5  default
panel       #1B1E27  #F2EFE8  default
raised      #262B38  #E8E4DA  color(8)
cursor      #343A54  #DCD6F3  color(4)
rule        #3A4152  #C9C3B4  color(8)
grid        #2A2F3C  #DFDACE  color(8)
text        #E4E7EF  #23252D  color(15)
soft        #A9B0C2  #555B6A  color(7)
faint       #788095  #767B88  color(7)
accent      #AE9FFA  #5B45C9  color(13)
accent_dim  #5D548F  #B7ABEA  color(5)
good        #7BD88F  #1E7B34  color(10)
warn        #F2C14E  #8A5B00  color(11)
bad         #FF6B62  #B3261E  color(9)
on_chip     #14161C  #FFFFFF  color(0)
cooperate   #1D5A78  #A9D3E8  color(4)
defect      #7A3524  #F0BFA9  color(1)
on_cell     #F3F5FA  #1E2027  color(15)
helped      #5FB4DC  #1F7FB0  color(14)
refused     #E0734F  #C4552B  color(9)
"""
"""The colour of each token by night, by day and in 16 colours."""


def _tokens(theme: int) -> dict[str, str]:
    """The tokens of one of the three palettes by name."""
    rows = (line.split() for line in TABLE.strip().splitlines())
    return {row[0]: row[1 + theme] for row in rows}


NIGHT = Palette(
    dark=True,
    people=_hexes(
        "7DBBF5 F2A02C 3FC79C BE6FA6 DDEB4B F4553A 4B82F4 F3DCC0 66B45A F0A0D4 E45BD0 8BE6F0"
    ),
    heat=Ramp(
        _hexes("191B25 242338 342F57 4A417D 6557AB 7868CC"),
        _hexes("788095 A9B0C2 D6D9E6 F0F1F8 FFFFFF FFFFFF"),
    ),
    strength=Ramp(
        _hexes("8A3B26 603326 3F2E2B 262B38 23394A 1F4F6B 1D6A94"),
        _hexes("F3F5FA F3F5FA E4E7EF E4E7EF E4E7EF F3F5FA F3F5FA"),
    ),
    exact=True,
    **_tokens(0),
)
DAY = Palette(
    dark=False,
    people=_hexes(
        "0B5FD0 AF5A05 00716B A33A96 3F5500 B5173A 12248A 582306 5D7A31 C2309E 7E1145 077596"
    ),
    heat=Ramp(
        _hexes("F6F3EE E9E5F5 D6CFF0 B9ADE6 9586D8 6F5CC6"),
        _hexes("6B7080 555B6A 33363F 23252D 16131F FFFFFF"),
    ),
    strength=Ramp(
        _hexes("D9774F EDAF92 F6DACB EFECE4 D3E4EE 9CC7DF 4E97C2"),
        _hexes("1E2027 1E2027 23252D 23252D 23252D 1E2027 1E2027"),
    ),
    exact=True,
    **_tokens(1),
)
SIXTEEN = Palette(
    dark=True,
    people=_ansi((12, 3, 6, 5, 11, 9, 4, 15, 2, 13, 1, 14)),
    heat=Ramp(_ansi((0, 0, 8, 8, 5, 5)), _ansi((7, 7, 15, 15, 15, 15))),
    strength=Ramp(_ansi((1, 1, 8, 0, 8, 4, 4)), _ansi((15, 15, 15, 15, 15, 15, 15))),
    exact=False,
    **_tokens(2),
)


# --- Signs


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs that carry a meaning. ``braille``: charts are drawn in dots, else as tables."""

    suits: Mapping[str, str] = field(hash=False)
    running: str = "►"
    paused: str = "‖"
    done: str = "✓"
    stopped: str = "○"
    failed: str = "✗"
    pending: str = "…"
    won: str = "★"
    most: str = "▲"
    open: str = "▾"
    closed: str = "▸"
    private: str = "┊"
    cursor: str = "▎"
    edge: str = "▌"
    line: str = "━"
    half_line: str = "╸"
    rest: str = "─"
    low: str = "├"
    point: str = "●"
    high: str = "┤"
    hollow: str = "○"
    zero: str = "┊"
    full: str = "█"
    eighths: str = " ▏▎▍▌▋▊▉"
    spared: str = "░"
    columns: str = " ▁▂▃▄▅▆▇█"
    vote: str = "■"
    no_vote: str = "□"
    up: str = "▲"
    down: str = "▼"
    right: str = "►"
    left: str = "◄"
    special: str = "◆"
    box: str = "╭─╮│╰╯"
    heavy: str = "┏━┓┃┗┛"
    rule: str = "─"
    tick: str = "╵"
    ask: str = "┿"
    chosen: str = "●"
    other: str = "○"
    braille: bool = True


FANCY = Signs(suits={"bluff": "♠", "gossip": "♥", "dilemma": "♦", "bargain": "♣"})
PLAIN_FORMS = """
running > paused = done v stopped o failed x pending . won * most ^ open v closed > private !
cursor > edge > line = half_line = rest - low | point o high | zero : full # spared . vote #
no_vote . up ^ down v right > left < special @ box +-+|++ heavy +=+|++ rule - tick ' ask +
chosen * other o hollow .
"""
"""Each sign with its plain form."""
_WORDS = PLAIN_FORMS.split()
PLAIN = Signs(
    suits={"bluff": "w", "gossip": "g", "dilemma": "d", "bargain": "b"},
    eighths="        ",
    columns=" .......#",
    braille=False,
    **dict(zip(_WORDS[::2], _WORDS[1::2], strict=True)),
)
