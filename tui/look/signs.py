"""Signs of the screens, each one column wide, and their plain form for terminals without them."""

from collections.abc import Mapping
from dataclasses import dataclass, field


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
TABLE = """
running > paused = done v stopped o failed x pending . won * most ^ open v closed > private !
cursor > edge > line = half_line = rest - low | point o high | zero : full # spared . vote #
no_vote . up ^ down v right > left < special @ box +-+|++ heavy +=+|++ rule - tick ' ask +
chosen * other o
"""
"""Each sign with its plain form."""
_WORDS = TABLE.split()
PLAIN = Signs(
    suits={"bluff": "w", "gossip": "g", "dilemma": "d", "bargain": "b"},
    eighths="        ",
    columns=" .......#",
    braille=False,
    **dict(zip(_WORDS[::2], _WORDS[1::2], strict=True)),
)
