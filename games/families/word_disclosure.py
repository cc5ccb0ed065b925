"""Disclosure in the word games: one's own word, what was said, and private questions."""

import re
from collections.abc import Callable

from parlour.games.engine.disclosure import Fact, Reader, Where
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import quoted


def own_word(field: Callable[[Reader], str]) -> Fact:
    """A player's own word, which is in a ``field`` of the setting."""

    def said(reader: Reader) -> str:
        return f"your word is {re.escape(quoted(getattr(reader.setting, field(reader))))}"

    return Fact("one's own word", said)


def _last_said(reader: Reader) -> str:
    last = reader.view.told("said")[-1]
    line = f"{player(last.record['speaker'])}: {quoted(last.record['text'])}"
    return f"what has been said so far.*{re.escape(line)}"


def said_so_far() -> Fact:
    """The clues of all who have spoken."""
    spoken = Where(once=lambda reader: bool(reader.view.told("said")))
    return Fact("what was said, once a player has spoken", _last_said, (spoken,), "said so far")


def probes(*kinds: str) -> tuple[Fact, ...]:
    """The privacy of the asks of these kinds."""
    return (
        Fact(
            "nobody else sees the answer to a private question",
            "a private question that no other player sees",
            (Where(kinds),),
            "private question",
        ),
    )
