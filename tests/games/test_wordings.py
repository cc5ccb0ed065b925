"""Wordings: the same facts in other words, one-to-one labels, and nothing at the default."""

import re
from collections.abc import Iterator
from itertools import chain, combinations, product
from pathlib import Path

import pytest

from parlour.agents.base import Call
from parlour.agents.llm.agent import LLMAgent
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Answer, plain_answer
from parlour.games.engine.prompts import render
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.engine.wordings import (
    KEY,
    NAMES,
    PLAIN,
    TEMPLATES,
    labels_of,
    parted,
    replaced,
    wordings_of,
)
from parlour.games.testing.disclosure import check_disclosed
from parlour.games.testing.facts import facts_of
from parlour.games.testing.playthrough import openings, sampled, variants
from parlour.games.testing.secrecy import check_secrets
from tests.blocks import ROOT, data_rows
from tests.games.test_disclosure import edited
from tests.models import config

WORDED = {name: game for name, game in games().items() if wordings_of(game) != (PLAIN,)}
FRAME = {
    "undercover": "undercover|civilian|accus|suspicion|undetected",
    "impostor": "impostor|suspicion|undetected",
    "chameleon": "chameleon|accus|suspicion|undetected|found out",
    "prisoners_dilemma": "cooperat|defect|prisoner",
    "public_good": "public good|contribut",
    "donation": "cooperat|defect|donat|donor|recipient",
    "reciprocity": "cooperat|defect|help",
    "investment": "invest|responder",
}
LABELLED = [
    pytest.param(game, wording, id=f"{name}-{wording}")
    for (name, game), wording in product(WORDED.items(), ("neutral", "swapped", "renamed"))
    if wording in wordings_of(game)
]
every_game = pytest.mark.parametrize("game", [pytest.param(g, id=n) for n, g in WORDED.items()])
OWN = config("http://127.0.0.1:9/v1", structured="strict")
AGENT = LLMAgent(OWN, OpenAIClient(OWN))  # nothing is sent


def asked(game: Game, wording: str, *, every_key: bool = True) -> Iterator[tuple[Table, int]]:
    """Each table at each of its asks, with each waiting seat."""
    base = {KEY: wording, **game.testing.facts_variant}
    for variant in variants(game, base)[: None if every_key else 1]:
        if getattr(variant, KEY) != wording:
            continue
        for table in openings(game, variant, seeds=[1]):
            while table.pending is not None:
                for seat in table.waiting:
                    yield table, seat
                table.answer({seat: sampled(table, seat) for seat in table.waiting})


def test_every_game_has_other_wordings() -> None:
    assert list(WORDED) == list(games())
    assert {name for name, game in WORDED.items() if "neutral" in wordings_of(game)} == {*FRAME}


@every_game
def test_nothing_says_the_wording_at_its_default(game: Game) -> None:
    assert KEY not in game.variant().model_dump()
    assert KEY not in game.make_setting(game.shipped()[0], game.variant()).model_dump()
    for table, _seat in asked(game, PLAIN, every_key=False):
        assert all(KEY not in event.record for event in table.events)
    assert game.condition(game.variant.model_validate({KEY: "again"})) == "wording=again"
    assert {*wordings_of(game)} > TEMPLATES
    assert parted("rounds=3,wording=again,shown=points") == ("again", "rounds=3,shown=points")
    assert parted("") == (PLAIN, "")


@every_game
def test_wordings_with_other_words_have_no_line_of_the_rules_in_common(game: Game) -> None:
    def lines(wording: str) -> set[str]:
        system = {
            render(game, table.view(seat), table.pending.kind).system
            for table, seat in asked(game, wording)
            if table.pending is not None
        }
        return set("\n".join(system).splitlines()) - {""}

    assert lines("again") <= lines(PLAIN)
    for one, other in combinations((PLAIN, *sorted(TEMPLATES)), 2):
        assert not lines(one) & lines(other)


every_paraphrase = pytest.mark.parametrize("wording", sorted(TEMPLATES))


@every_paraphrase
@every_game
def test_every_template_of_a_paraphrase_is_used(game: Game, wording: str) -> None:
    shared = ROOT / "games" / "templates" / wording
    own = game.folder / "prompts" / wording
    written = {
        path.name: path.read_text(encoding="utf-8").strip()
        for path in chain(shared.glob("*.j2"), own.glob("*.j2"))
    }
    used: set[str] = set()
    for table, seat in asked(game, wording):
        prompt = render(game, table.view(seat), table.pending.kind)
        templates = {(name, text.strip()) for name, text in prompt.templates if name in written}
        assert templates <= written.items()
        used |= dict(templates).keys()
    assert {path.name for path in own.glob("*.j2")} <= used
    if game.name == "reciprocity":  # it has noise, and gossip in all forms
        assert {path.name for path in shared.glob("*.j2")} <= used


@pytest.mark.parametrize(
    ("name", "template", "old", "new", "fact"), data_rows("paraphrases_of_other_facts")
)
def test_a_paraphrase_that_tells_other_facts_fails(
    tmp_path: Path, name: str, template: str, old: str, new: str, fact: str
) -> None:
    game, own = games()[name], edited(tmp_path, name, template, old, new, "paraphrase")
    worded = variants(game, {**game.testing.facts_variant, KEY: "paraphrase"})

    def check() -> None:
        for variant in worded:
            if getattr(variant, KEY) == "paraphrase":
                check_disclosed(game, facts_of(game), variant, 0, own)

    with pytest.raises(AssertionError, match=rf"tells? ['\"]{re.escape(fact)}"):
        check()


@every_paraphrase
@every_game
def test_a_paraphrase_keeps_secrets(game: Game, wording: str) -> None:
    check_secrets(game, variants(game, {KEY: wording})[0])


@pytest.mark.parametrize(("game", "wording"), LABELLED)
def test_labels_stand_one_to_one_for_words_and_leave_no_frame(game: Game, wording: str) -> None:
    frame = re.compile(
        r"Player \d\d?\b" if wording == "renamed" else FRAME[game.name], re.IGNORECASE
    )
    for table, seat in asked(game, wording):
        labels = labels_of(game, wording, table.seats)
        back = {label: word for word, label in {**labels.words, **labels.answers}.items()}
        assert len(back) == len(labels.words) + len(labels.answers)
        prompt = render(game, table.view(seat), table.pending.kind)
        for text in (prompt.system, prompt.question):
            assert not frame.search(labels.sent(text)), labels.sent(text)
            assert replaced(labels.sent(text), back) == text
        request = AGENT.request(table.pending, table.view(seat), Call(Dice(1), order=5))
        whole = "\n".join(text for _, text in request.messages)
        assert not frame.search(whole)
        assert not frame.search(str(request.schema))


@pytest.mark.parametrize(("game", "wording"), LABELLED)
def test_an_answer_with_labels_is_that_with_the_games_own_words(game: Game, wording: str) -> None:
    for table, seat in asked(game, wording, every_key=False):
        labels = labels_of(game, wording, table.seats)
        given = sampled(table, seat)
        assert isinstance(given, Answer)
        own = plain_answer(given)
        offered = labels.schema(own)
        assert labels.read(offered) == own
        assert table.pending.judge(seat, labels.read(offered)) == given
        named = re.search("cooperate|defect" if wording != "renamed" else "Player", str(own))
        assert (offered != own) == bool(named)


def test_labels_of_choices_are_exchanged_and_names_are_those_of_seats() -> None:
    game = games()["donation"]
    one, other = (labels_of(game, wording, ()) for wording in ("neutral", "swapped"))
    assert one.read({"action": "press J"}) == other.read({"action": "press F"})
    assert one.read({"action": "press J"}) == {"action": "cooperate"}
    assert other.sent("a donor cooperates or defects") == "a chooser presses F or presses J"
    renamed = labels_of(game, "renamed", list(range(12)))  # type: ignore[arg-type]
    assert renamed.sent("Player 12 met Player 1.") == f"{NAMES[11]} met {NAMES[0]}."
    assert renamed.read({"message": f"\n{NAMES[1]} is Alexandra"}) == {
        "message": "\nPlayer 2 is Alexandra"
    }


@every_game
def test_choices_come_in_the_reverse_order(game: Game) -> None:
    pairs = zip(
        asked(game, PLAIN, every_key=False), asked(game, "reversed", every_key=False), strict=True
    )
    if "reversed" not in wordings_of(game):
        pytest.skip("its players choose from no list")
    reversed_lists = 0
    for (table, seat), (other, _seat) in pairs:
        assert table.pending is not None
        assert other.pending is not None
        one, two = (
            AGENT.request(ask, view, Call(Dice(1), order=11))
            for ask, view in ((table.pending, table.view(seat)), (other.pending, other.view(seat)))
        )
        for name, field in one.schema["properties"].items():
            if "enum" in field:
                assert two.schema["properties"][name]["enum"] == field["enum"][::-1]
                reversed_lists += 1
    assert reversed_lists
