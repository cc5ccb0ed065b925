"""Words of games and agents with names in place of "Player 3"."""

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

from parlour.games.common.text import clean
from parlour.tui.look.cast import ShownIdentity

_PLAYER = re.compile(r"\bPlayer ([1-9]\d*)\b")


def sentence_case(words: str) -> str:
    """Words with a capital at their begin."""
    return words[:1].upper() + words[1:]


def plain(words: str, people: Sequence[ShownIdentity]) -> str:
    """A text on one line with the names of seats."""

    def name(match: re.Match[str]) -> str:
        seat = int(match[1]) - 1
        return people[seat].name if seat < len(people) else match[0]

    return _PLAYER.sub(name, " ".join(clean(words).split()))


def named(words: str, people: Sequence[ShownIdentity], *, quoted: bool = False) -> Markup:
    """A text with the names of seats in their colours.

    ``quoted``: an agent wrote it, so that the names, which it did not write, are underlined.
    """
    line = " ".join(clean(words).split())
    parts, at = [], 0
    style = " quoted" if quoted else ""
    for match in _PLAYER.finditer(line):
        seat = int(match[1]) - 1
        if seat < len(people):
            parts.append(escape(line[at : match.start()]))
            who = people[seat]
            title = f' title="{match[0]}"' if quoted else ""
            begin = Markup(f'<span class="who {who.colour}{style}"{title}>')
            parts.append(begin + who.name + Markup("</span>"))
            at = match.end()
    parts.append(escape(line[at:]))
    return Markup("").join(parts)
