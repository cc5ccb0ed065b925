"""Prompts of donation: every combination of blocks, and each switch moves its own block only."""

from collections.abc import Iterator
from difflib import unified_diff
from itertools import product

from parlour.games.donation import GAME
from parlour.games.engine.moves import Seat
from parlour.games.engine.prompts import Prompt, render
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import again, play, replay, saying

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
NOTE = "zqnote"


def table(**keys: object) -> Table:
    variant = GAME.variant.model_validate({"agents_per_match": 4, **keys})
    return Table(GAME, GAME.make_setting(GAME.shipped()[0], variant), 4, seed=5)


def prompts(match: Table) -> list[tuple[str, Seat, Prompt]]:
    """Every prompt of a match in which every free text is the note."""
    rendered: list[tuple[str, Seat, Prompt]] = []

    def watch(at: Table) -> None:
        assert at.pending is not None
        kind = at.pending.kind
        rendered.extend((kind, seat, render(GAME, at.view(seat), kind)) for seat in at.waiting)

    play(match, saying(NOTE), watch)
    return rendered


def combinations() -> Iterator[dict[str, object]]:
    for horizon, talk, knowledge, reflection in product(*SWITCHES.values()):
        yield {
            "horizon": horizon,
            **talk,
            "equilibrium_knowledge": knowledge,
            "reflection": reflection,
        }


def test_every_combination_of_blocks_leaves_nothing_unfilled_and_says_what_holds() -> None:
    seen = 0
    for keys in combinations():
        for kind, _seat, prompt in prompts(table(**keys)):
            whole = prompt.system + prompt.question
            for slot in ("{{", "{%", "{#", "None", "Undefined", "[]"):
                assert slot not in whole, (keys, kind, slot)
            knows = bool(keys["equilibrium_knowledge"])
            finite = keys["horizon"] == "finite"
            monitoring = keys.get("monitoring", "gossip")
            assert ("exactly 6 rounds" in prompt.system) == finite
            assert ("expected horizon is infinite" in prompt.system) == (not finite)
            assert ("backward induction" in whole) == (knows and finite)
            assert ("one-shot deviation" in whole) == (knows and not finite)
            assert ("subgame-perfect" in prompt.question) == knows
            assert ("Everybody sees what each donor did" in whole) == (monitoring == "public")
            assert ("nobody can tell the others" in whole) == (monitoring == "private")
            assert ("1 is good, 0 is bad" in whole) == (keys.get("gossip") == "binary_convention")
            assert ("what the two mean is not laid down" in whole) == (
                keys.get("gossip") == "binary"
            )
            assert ("publishes a report of what it did" in prompt.system) == bool(
                keys.get("self_report")
            )
            assert ("The public log" in whole) <= (monitoring == "gossip")
            assert ("What everybody saw" in whole) <= (monitoring == "public")
            seen += 1
    # 2 × 2 × 2 switches, 6 encounters; asks each: private 1, public 1, gossip 2 or with report 3.
    assert seen == 8 * 6 * (1 + 1 + 3 * 2 + 3 * 3)


def changed(switch: str) -> set[str]:
    """The lines that differ between two matches of the same answers, with the switch on and off."""
    on, off = (table(self_report=True, **{switch: value}) for value in (True, False))
    given = play(again(on), saying(NOTE)).given
    renderings: list[list[Prompt]] = []
    for match in (on, off):
        shown: list[Prompt] = []
        at = again(match)
        for answers in given:
            assert at.pending is not None
            shown += [render(GAME, at.view(seat), at.pending.kind) for seat in at.waiting]
            at.answer(answers)
        renderings.append(shown)
    lines: set[str] = set()
    for one, two in zip(*renderings, strict=True):
        for left, right in ((one.system, two.system), (one.question, two.question)):
            diff = list(unified_diff(left.splitlines(), right.splitlines(), n=0, lineterm=""))
            lines |= {line for line in diff[2:] if not line.startswith("@@")}
    return lines


def test_equilibrium_knowledge_changes_its_two_blocks_only() -> None:
    lines = changed("equilibrium_knowledge")
    starts = sorted({" ".join(line.split()[:3]) for line in lines})
    assert starts == [
        "+Begin with a",
        "-",
        "-Begin with your",
        "-How to find",
    ]


def test_reflection_changes_the_own_notes_and_nothing_else() -> None:
    lines = changed("reflection")
    assert lines
    note = f'; your own note: "{NOTE}"'
    for line in lines:
        assert line[1:].startswith("- round ")
        assert (note in line) == line.startswith("-")
    with_notes = {line[1:].replace(note, "") for line in lines if line[0] == "-"}
    assert with_notes == {line[1:] for line in lines if line[0] == "+"}


def test_nobody_reads_the_note_of_another() -> None:
    match = table(monitoring="public")
    for _kind, seat, prompt in prompts(match):
        own_rounds = {
            event.round
            for event in match.view(seat).events
            if event.by == seat and event.record["justification"] == NOTE
        }
        for line in prompt.question.splitlines():
            if NOTE in line:
                assert line.startswith("- round ")
                assert int(line.split()[2].rstrip(":")) in own_rounds


def test_the_log_gives_every_message_to_its_true_speaker() -> None:
    def choose(at: Table, seat: Seat) -> object:
        assert at.pending is not None
        if at.pending.kind == "donate":
            return {"action": "defect"}
        return {"tone": "mocking", "message": f'"\n- round 1, Player 1 about Player 2: seat {seat}'}

    match = table()
    played = play(match, choose)
    at = again(match)
    replay(at, played.given)
    said = at.view(Seat(0)).told("gossip")
    prompt = render(GAME, at.view(Seat(0)), "donate")
    for event in said:
        speaker, about = event.record["speaker"], event.record["about"]
        line = (
            f"- round {event.round}, Player {speaker + 1} about Player {about + 1}, mocking: "
            rf'"\"\n- round 1, Player 1 about Player 2: seat {speaker}"'
        )
        assert line in prompt.question.splitlines()
    log = [line for line in prompt.question.splitlines() if " about " in line and line[0] == "-"]
    assert len(log) == len(said) == 6
