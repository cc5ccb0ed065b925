"""Prompts of donation, reciprocity and investment: each combination of blocks says what holds."""

from collections.abc import Iterator
from difflib import unified_diff
from itertools import product

from parlour.games.engine.game import Game
from parlour.games.engine.moves import Seat
from parlour.games.engine.prompts import Prompt, render
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import again, play, replay, sampled, saying
from tests.games.encounters import NOTE, ended, every_game, prompts, table

SWITCHES = {
    "horizon": ("infinite", "finite"),
    "talk": (
        {"monitoring": "private"},
        {"monitoring": "public"},
        *(
            {"gossip": gossip, "self_report": report}
            for gossip, report in product(("tones", "binary", "binary_convention"), (False, True))
        ),
    ),
    "equilibrium_knowledge": (True, False),
    "reflection": (True, False),
}
SLOTS = ("{{", "{%", "{#", "None", "Undefined", "[]")


def combinations() -> Iterator[dict[str, object]]:
    for horizon, talk, knowledge, reflection in product(*SWITCHES.values()):
        switches = {"equilibrium_knowledge": knowledge, "reflection": reflection}
        yield {"horizon": horizon, **talk, **switches}


def changed(game: Game, switch: str) -> set[str]:
    """The lines that differ between two matches of the same answers, with the switch on and off."""
    on, off = (table(game, 4, 5, self_report=True, **{switch: value}) for value in (True, False))
    given = play(again(on), saying(NOTE)).given
    renderings: list[list[Prompt]] = []
    for match in (on, off):
        shown: list[Prompt] = []
        for answers in given:
            kind = match.pending.kind
            shown += [render(game, match.view(seat), kind) for seat in match.waiting]
            match.answer(answers)
        renderings.append(shown)
    lines: set[str] = set()
    for one, two in zip(*renderings, strict=True):
        for left, right in ((one.system, two.system), (one.question, two.question)):
            diff = list(unified_diff(left.splitlines(), right.splitlines(), n=0, lineterm=""))
            lines |= {line for line in diff[2:] if not line.startswith("@@")}
    return lines


@every_game
def test_equilibrium_knowledge_changes_its_two_blocks_only(game: Game) -> None:
    starts = {" ".join(line.split()[:3]) for line in changed(game, "equilibrium_knowledge")}
    assert starts == {"+Begin with a", "-", "-Begin with your", "-How to find"}


@every_game
def test_reflection_changes_the_own_notes_and_nothing_else(game: Game) -> None:
    lines = changed(game, "reflection")
    assert lines
    note = f'; your own note: "{NOTE}"'
    for line in lines:
        assert line[1:].startswith("- round ")
        assert (note in line) == line.startswith("-")
    with_notes = {line[1:].replace(note, "") for line in lines if line[0] == "-"}
    assert with_notes == {line[1:] for line in lines if line[0] == "+"}


@every_game
def test_nobody_reads_the_note_of_another(game: Game) -> None:
    match = table(game, 4, 5, monitoring="public")
    for _kind, seat, prompt in prompts(match):
        own = {event.round for event in match.view(seat).events if event.by == seat}
        for line in prompt.question.splitlines():
            if NOTE in line:
                assert line.startswith("- round ")
                assert int(line.split()[2].rstrip(":")) in own


@every_game
def test_the_log_gives_every_message_to_its_true_speaker(game: Game) -> None:
    def choose(at: Table, seat: Seat) -> object:
        if at.pending.kind != "gossip":
            return sampled(at, seat)
        return {"tone": "mocking", "message": f'"\n- round 1, Player 1 about Player 2: seat {seat}'}

    match = table(game, 4, 5)
    at = again(match)
    replay(at, play(match, choose).given)
    said = at.view(Seat(0)).told("gossip")
    assert len(said) >= 6  # one or two for each of six encounters
    prompt = render(game, at.view(Seat(0)), "gossip")
    log = [line for line in prompt.question.splitlines() if " about " in line and line[0] == "-"]
    assert log == [
        f"- round {event.round}, Player {event.record['speaker'] + 1} about"
        f" Player {event.record['about'] + 1}, mocking: "
        rf'"\"\n- round 1, Player 1 about Player 2: seat {event.record["speaker"]}"'
        for event in said
    ]


def test_amounts_stand_in_prompts_to_the_hundredth() -> None:
    match = table(games()["investment"], endowment=123456.78, multiplier=1.0)
    investor = match.waiting[0]
    question = render(match.game, match.view(investor), "invest").question
    assert "You hold 123456.78 units" in question
    assert "from 0 to 123456.78?" in question
    match.answer({investor: {"amount": 123456.77}})
    question = render(match.game, match.view(match.waiting[0]), "return").question
    assert "held 123456.78 units and sent 123456.77 of them" in question
    assert "123456.77 have arrived" in question


@every_game
def test_full_disclosure_tells_the_players_and_changes_no_play(game: Game) -> None:
    full = table(game, 5, 3, disclosure="full")
    for _kind, _seat, prompt in prompts(full):
        assert "one of 5 players" in prompt.system
        assert "10 rounds" not in prompt.system
    assert full.outcome == ended(table(game, 5, 3), saying(NOTE)).outcome
