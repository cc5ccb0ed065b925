"""A game of another package that uses the event kinds of the games that ship in its own way."""

from pathlib import Path

from tests.tournaments import scripted

KINDS = (
    *("guess", "propose", "vote", "word", "gossip", "choose", "role", "donate", "said", "clue"),
    *("beliefs", "own_role", "report", "encounter", "contribute", "invest", "approve", "turn"),
)

SOURCE = '''
"""Jumble: both players say a number under every name there is."""
from pathlib import Path

from parlour.games.engine.game import Frozen, Game, Scoring, Seating, Texts
from parlour.games.engine.moves import Answer, Ask, Outcome, Tell, ask

KINDS = {kinds}


class Record(Frozen):
    most: int


class Variant(Frozen):
    pass


class Setting(Record, Variant):
    pass


class Number(Answer):
    number: int


def question(kind, seats, most):
    return Ask(
        kind, seats, Number,
        fallback=lambda seat, dice: Number(number=0),
        sample=lambda seat, dice: Number(number=dice.below(most)),
    )


def rules(setting, seats, dice):
    totals = dict.fromkeys(seats, 0)
    for kind in KINDS:
        yield Tell(kind, {{"note": kind, "speaker": "nobody", "suspect": [1, "x"]}})
        answers = yield from ask(question(kind, tuple(seats), setting.most))
        for seat in seats:
            totals[seat] += answers[seat].number
    most = max(totals.values())
    winners = tuple(seat for seat in seats if totals[seat] == most)
    return Outcome(
        "counted", tuple(float(t) for t in totals.values()), ("sayer",) * 2, ("one", "two"),
        winners if len(winners) == 1 else (), {{"encounters": 3, "setting": None}},
    )


GAME = Game(
    name="{name}", version=1, folder=Path(__file__).parent, rules=rules,
    record=Record, variant=Variant, setting=Setting,
    texts=Texts(title="Jumble", endings={{"counted": "all is said"}},
                kinds={{kind: "a number" for kind in KINDS}}),
    seating=Seating(sides=lambda setting: ("one", "two"), pairing="shared"),
    scoring=Scoring(roles={{"sayer": 1000.0}}, draw_probability=0.1),
)
'''
TOURNAMENT = 'name = "jumble"\nseed = 1\n[[games]]\nname = "jumble"\n' + scripted(
    Ann="random", Ben="random"
)


def install_jumble(folder: Path, name: str = "jumble", kinds: str = repr(KINDS)) -> Path:
    """Writes the game as an installed distribution; returns the folder for PYTHONPATH."""
    package = folder / "jumble_game"
    for part in ("prompts", "data"):
        (package / part).mkdir(parents=True)
    (package / "__init__.py").write_text(SOURCE.format(name=name, kinds=kinds))
    (package / "prompts" / "system.j2").write_text("You are {{ me }}.")
    for kind in KINDS:
        (package / "prompts" / f"{kind}.j2").write_text("Which number?")
    (package / "data" / "settings.json").write_text('[{"most": 9}]')
    info = folder / "jumble_game-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: jumble-game\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[parlour.games]\njumble = jumble_game:GAME\n")
    return folder
