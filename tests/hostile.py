"""Two hundred texts that try to be more than text, and a save that is full of them."""

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from parlour.agents.base import Call, Reply
from parlour.agents.registry import ScriptedConfig
from parlour.games.common.text import clean
from parlour.games.donation.game import GAME as DONATION
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask
from parlour.games.undercover.game import GAME as UNDERCOVER
from parlour.games.undercover.rules import Pair
from parlour.ratings.statistics import simultaneous
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.rows import Progress, RunOptions
from parlour.tournament.session import SessionHooks, run_session

COUNT = 200
# Each with a mark of its own in the place of M, so that it can be found again.
_BASIC = (
    # Control sequences: wipe, colour, move, scroll, ask for an answer, resize, switch modes
    *("\x1b[2JM", "\x1b[3JM", "\x1b[31mM\x1b[0m", "\x1b[38;2;1;2;3mM", "\x1b[5;5HM", "\x1b[99AM"),
    *("\x1b[6nM", "\x1b[cM", "\x1b[21tM", "\x1b[8;1;1tM", "\x1b[1;3rM", "\x1b[?1049lM"),
    *("\x1b[?1003hM", "\x1b[?25lM", "\x1b[?2004lM", "\x1b[200~M\x1b[201~", "\x1b[>31uM"),
    *("\x1b[!pM", "\x1b[4hM", "\x1b[20hM", "\x1b[5iM", "\x1b[;;;;;;m M", "\x1b[M"),
    # Commands to the terminal: title, clipboard, links, pictures, notes, colours, folders
    *("\x1b[1\x1b[2JM",),
    *("\x1b]0;M\x07", "\x1b]2;M\x1b\\", "\x1b]52;c;TQ==M\x07", "\x1b]52;p;?M\x1b\\"),
    *("\x1b]8;;http://M.example/\x1b\\M\x1b]8;;\x1b\\", "\x1b]8;id=M;file:///etc\x07M\x1b]8;;\x07"),
    *("\x1b]1337;File=inline=1:M\x07", "\x1b]9;M\x07", "\x1b]777;notify;M;M\x07"),
    *("\x1b]4;1;rgb:ff/00/00\x07M", "\x1b]10;?\x07M", "\x1b]133;A\x07M", "\x1b]7;file://M\x07"),
    *("\x1b]50;M\x07", "\x1b]22;M\x1b\\", "\x1b]M"),
    # Device control, application, privacy and start-of-string; single escapes
    *("\x1bPq#0;2;0;0;0M\x1b\\", "\x1bP$qM\x1b\\", "\x1bP+q544eM\x1b\\", "\x1bP=1sM\x1b\\"),
    *("\x1b_Gf=24;M\x1b\\", "\x1b^M\x1b\\", "\x1bXM\x1b\\", "\x1bcM", "\x1b(0M", "\x1b#8M"),
    *("\x1b7M\x1b8", "\x1bZM", "\x1b=M", "\x1bM M", "\x1b%GM", "\x1b\x1b[2JM", "M\x1b"),
    # The same in one byte each, then the other controls
    *("\x9b2JM", "\x9b31mM", "\x9d0;M\x9c", "\x9d52;c;M\x07", "\x90qM\x9c", "\x9fGM\x9c"),
    *("\x9eM\x9c", "\x98M\x9c", "\x84M", "\x85M", "\x8dM", "\x9aM"),
    *("\x00M", "M\x00\x00M", "\x07M", "\x08\x08\x08\x08M", "M\rX", "\x0bM", "\x0cM", "\x0eM\x0f"),
    *("\x11M\x13", "\x03M", "\x04M", "\x05M", "\x1aM", "\x7f\x7fM", "\x1c\x1d\x1e\x1fM"),
    # Writing turned round, hidden letters, tags, what no text can hold
    *("\u202eM", "\u2066M\u2069", "\u200fM", "\u061cM", "\u200bM\u200b", "M\u200d\u200c"),
    *("\ufeffM", "\u00adM", "\u2028M", "\u2029M", "\U000e0041\U000e007fM", "\u180eM"),
    *("\ufff9M\ufffb", "\ud800M", "M\udfff", "\udc9b2JM", "\ud83dM\ude00"),
    # Markup of the libraries that draw
    *("[@click=app.quit]M[/]", "[@click=app.leave()]M[/]", "[@click='screen.pause']M", "[boldM"),
    *("[bold]M[/bold]", "[/]M", "[/bold]M", "[link=http://M]M[/link]", "[red on blue]M", "[[M]]"),
    *("\\[M]", "[$primary]M[/]", "[on]M", "[]M", "[ M", "M]", ":skull: M", "[not bold]M[reverse]"),
    *("$M `id`",  "[@mouse=app.bell]M", "[b][i][u][s]M", "[#f00]M", "[=M]", "[M=", "{M}", "%sM%n"),
    # Letters that are more than one column, or less
    *("\U0001f469\u200d\U0001f469\u200d\U0001f467M", "\U0001f3f3\ufe0f\u200d\U0001f308M"),
    *("\U0001f1e9\U0001f1ea\U0001f1ebM", "\U0001f44d\U0001f3ffM", "1\ufe0f\u20e3M", "한글M"),
    *("\uff37M", "\u1100\u1161M", "Z" + "\u0301" * 60 + "M", "\u0301M", "\ufdfdM", "\u0e33M"),
    *("M" + "\u20dd\u0489" * 30, "\u0e01\u0e47\u0e47\u0e47M"),
    # Much, and more than a line
    *("M" + "long " * 900, "M" + "W" * 5000, "M\n\n\nM", "M\r\nM", "\tM\tM", "M\n" * 40, "  M  "),
)  # fmt: skip


def payloads() -> list[str]:
    """The same 200 each time; the last ones are pairs of those before."""
    whole = [*_BASIC]
    for number in range(COUNT - len(_BASIC)):
        first, second = _BASIC[number * 37 % len(_BASIC)], _BASIC[number * 53 % len(_BASIC)]
        whole.append(first[:200] + second[:200])
    return [text.replace("M", mark(number)) for number, text in enumerate(whole)][:COUNT]


def mark(number: int) -> str:
    """Text that stands for the n-th one wherever it is shown."""
    return f"QX{number:03}"


PAYLOADS = payloads()
# (Half letters aside: a save with such is refused as damaged.)
CLEANED = {clean(text): text.encode(errors="ignore").decode() for text in PAYLOADS}


def as_name(text: str) -> str:
    """Part of a text that may be the name of an agent or a word: one short line, not blank."""
    return " ".join(clean(text).split())[:60].strip()


NAMES = [as_name(text) for text in PAYLOADS]


class Shouter:
    """An agent that answers at random, with the next of the hostile texts wherever one fits."""

    def __init__(self, name: str, said: Counter[str]) -> None:
        self.name, self._said = name, said

    def _next(self, what: str) -> str:
        self._said[what] += 1
        return PAYLOADS[(self._said[what] - 1) % COUNT]

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Any legal answer, in other words."""
        fields = ask.answer.model_fields.keys() & {"text", "reasoning", "message", "justification"}
        texts = {name: self._next(f"{ask.kind} {name}") for name in sorted(fields)}
        value = ask.sample(view.seat, call.dice).model_dump() | texts
        return Reply(ask.answer(**value), {"thought": self._next("notes")})


def hostile_tournament() -> Tournament:
    """Agents, words and itself with hostile names; each agent sits once in a game of three."""
    agents = tuple(ScriptedConfig(name=name, strategy="random") for name in NAMES)
    seats = [*NAMES, *NAMES[:1]]
    variant = UNDERCOVER.variant(clue_rounds=1, probes="off")
    games = [
        GameEntry(UNDERCOVER, variant, (_pair(word),), tuple(seats[index : index + 3]))
        for index, word in zip(range(0, COUNT, 3), reversed(NAMES), strict=False)
    ]
    gossip = GameEntry(
        DONATION, DONATION.variant(agents_per_match=12), (DONATION.shipped()[0],), ()
    )
    games += [
        replace(gossip, lineup=tuple(NAMES[first : first + 12])) for first in range(0, 48, 12)
    ]
    name = " ".join(NAMES[96:100])[:100].strip()
    return Tournament(name, 5, "round_robin", None, 1, tuple(games), agents)


def _pair(word: str) -> Pair:
    civilian = f"{word[:50].strip()} word"  # which no clue names
    return Pair(civilian_word=civilian, undercover_word="another", undercover_seat=2)


@contextmanager
def few_draws() -> Iterator[None]:
    """Ranks of few draws: with all of them, two hundred agents take half a minute."""
    simultaneous._standard.cache_clear()
    with patch.object(simultaneous, "RANK_DRAWS", 20):
        yield
    simultaneous._standard.cache_clear()


def hostile_save(path: Path) -> Path:
    """A finished save in which everything that a player says or is called is hostile.

    It is played for real, which cleans the texts; then they are put back as they were, as one
    would who has a save for others to open.
    """
    create_save(path, hostile_tournament())

    def begun(runner: Runner, _before: Progress) -> None:
        said: Counter[str] = Counter()
        for name in runner.agents:
            runner.agents[name] = Shouter(name, said)

    with few_draws():
        options, hooks = RunOptions(concurrency=1), SessionHooks(on_start=begun)
        ended = asyncio.run(run_session(path, options, hooks))
    assert ended.progress.done, ended.stats.failed
    soil(path)
    return path


def soil(path: Path) -> None:
    """Puts the texts of a save back to what they were before they were cleaned."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for column in ("value", "notes"):
            rows = connection.execute(f"SELECT seq, {column} FROM answers").fetchall()
            connection.executemany(
                f"UPDATE answers SET {column} = ? WHERE seq = ?",
                [(json.dumps(_soiled(json.loads(text))), seq) for seq, text in rows if text],
            )
        rows = connection.execute("SELECT number, agents FROM matches").fetchall()
        raw = {text: CLEANED[text] for text in NAMES if text in CLEANED}

        def soiled(agents: str) -> str:
            return json.dumps([raw.get(name, name) for name in json.loads(agents)])

        connection.executemany(
            "UPDATE matches SET agents = ? WHERE number = ?",
            [(soiled(agents), number) for number, agents in rows],
        )
        connection.executemany(
            "UPDATE matches SET experiment = experiment || ? WHERE number = ?",
            [(list(CLEANED.values())[number], number) for number, _ in rows],
        )


def _soiled(value: Any) -> Any:
    if isinstance(value, str):
        return CLEANED.get(value, value)
    if isinstance(value, dict):
        return {key: _soiled(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_soiled(entry) for entry in value]
    return value


def squeezed(text: str) -> str:
    """A text without its blanks: what can be compared however it was wrapped."""
    return "".join(text.split())


def unseen(texts: Iterable[str], shown: str) -> list[str]:
    """Those of the texts that are not shown to the letter, as cleaned."""
    screen = squeezed(shown)
    return [text for text in texts if squeezed(clean(text)) not in screen]
