"""All nine games played by language models: every form of answer, over a real server."""

from collections import defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from parlour.games.engine.dice import Dice
from parlour.games.engine.registry import games
from parlour.games.testing.playthrough import opened
from tests.models import Served, models, played_by
from tests.tournament.test_journal import agree, rows
from tests.tournaments import printed

GAMES = """
[[games]]
name = "chameleon"
limit = 3
[[games]]
name = "chameleon"
limit = 1
probes = "faithful"
[[games]]
name = "undercover"
limit = 1
clue_rounds = 1
[[games]]
name = "impostor"
limit = 4
matches = 1
[[games]]
name = "impostor"
limit = 1
matches = 1
assignment = "team_aware"
false_declaration = "majority_loses"
probes = "faithful"
[[games]]
name = "cost_sharing"
limit = 1
lineup = ["Ada", "Bob", "Ada"]
[[games]]
name = "cost_sharing"
limit = 1
lineup = ["Ada", "Bob", "Ada"]
sequential_votes = true
[[games]]
name = "prisoners_dilemma"
limit = 1
lineup = ["Ada", "Bob", "Ada"]
[[games]]
name = "public_good"
limit = 1
lineup = ["Ada", "Bob", "Ada"]
""" + "".join(
    f'[[games]]\nname = "{name}"\nagents_per_match = 3\n{keys}'
    for name, keys in product(
        ("donation", "reciprocity", "investment"),
        ("self_report = true\n", 'gossip = "binary"\n', 'monitoring = "public"\n'),
    )
)

PROBES = {"own_role", "beliefs"}
ASKED = {
    "chameleon": {"clue", "vote", "guess", "supposed_word", *PROBES},
    "undercover": {"clue", "vote", *PROBES},
    "impostor": {"clue", "vote", *PROBES},
    "cost_sharing": {"propose", "approve"},
    "prisoners_dilemma": {"choose"},
    "public_good": {"contribute"},
    "donation": {"donate", "gossip", "report"},
    "reciprocity": {"choose", "gossip", "report"},
    "investment": {"invest", "return", "gossip", "report"},
}
"""Kinds of answers asked of a model in each game."""

SENT = {"schema": "json_schema", "object": "json_object", "text": "text"}
"""Response format in a request for each setting of the answer form."""


pytestmark = pytest.mark.usefixtures("own_config")


def played(
    folder: Path,
    mode: Callable[[int], str] | str,
    structured: str = "schema",
    look: Callable[[Path, Served], object] = lambda _save, _server: None,
) -> Path:
    """Plays all of it in this process; ``look`` at the save while the server is there."""
    keys = f'structured = "{structured}"\nretries = 12\ntimeout = 20.0'

    def text(server: Served) -> str:
        blocks = models(server.base, dict.fromkeys(("Ada", "Bob"), keys))
        return f'name = "all"\nseed = 12\n{GAMES}{blocks}'

    return played_by(folder, text, mode, look, by_question=True)


def kinds_asked(save: Path) -> dict[str, set[str]]:
    """The kinds of answers in each game."""
    kinds = defaultdict(set)
    sql = "SELECT DISTINCT game, kind FROM answers JOIN matches ON matches.number = answers.match"
    for row in rows(save, sql):
        kinds[row["game"]].add(row["kind"])
    return dict(kinds)


@pytest.mark.parametrize("structured", SENT)
def test_models_that_answer_legally_play_every_form_of_every_game_without_a_fault(
    tmp_path: Path, structured: str
) -> None:
    def look(_save: Path, server: Served) -> None:
        assert {line["form"] for line in server.requests} == {SENT[structured]}

    save = played(tmp_path, "good", structured, look)
    assert set(ASKED) == set(games())
    assert kinds_asked(save) == ASKED
    assert rows(save, "SELECT * FROM answers WHERE fault IS NOT NULL OR tries > 1") == []
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")
    forms = {
        row["value"].count('"signal"')
        for row in rows(save, "SELECT value FROM answers WHERE kind = 'gossip'")
    }
    assert forms == {0, 1}  # tones and signals


def test_models_that_misbehave_play_every_game_to_its_end_and_each_fault_is_of_its_class(
    tmp_path: Path,
) -> None:
    modes = (
        *("good", "prose", "good", "wrong_schema", "empty", "good", "truncated", "refusal"),
        *("good", "refusal_in_words", "server_error", "drop", "fenced", "broken_json", "thinking"),
    )

    def mode(number: int) -> str:
        # Three tries at one question get the same, so that some answers stay faulty to the end.
        return modes[number % len(modes)]

    save = played(tmp_path, mode, look=agree)
    faults = {row["fault"] for row in rows(save, "SELECT DISTINCT fault FROM answers")}
    assert faults == {None, "empty", "truncated", "refusal", "unparsable"}
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")


def test_answers_of_the_right_form_that_break_a_rule_are_illegal_in_every_game(
    tmp_path: Path,
) -> None:
    save = played(tmp_path, "illegal")
    faults = defaultdict(set)
    for row in rows(save, "SELECT DISTINCT kind, fault FROM answers"):
        faults[row["kind"]].add(row["fault"])
    always = {"clue", "vote", "guess", "supposed_word", "beliefs", "propose", "approve"}
    always |= {"contribute", "invest", "return"}
    legal = {"own_role", "choose", "donate", "report"}
    # A signal or a role has no form in which it could be illegal; a message in a tone has.
    expected = {kind: {"illegal"} for kind in always} | {kind: {None} for kind in legal}
    del expected["guess"]  # where nobody votes, no chameleon is found out
    assert faults == expected | {"gossip": {"illegal", None}}


def test_a_prompt_never_marks_a_required_field_as_optional() -> None:
    # Only a belief may be about nobody, and only the guess beside a vote may be left out.
    nullable = set()
    for game in games().values():
        for keys in ({}, {"self_report": True}, {"gossip": "binary"}):
            if not keys.keys() <= game.variant.model_fields.keys():
                continue
            table = opened(game, game.shipped()[0], game.variant.model_validate(keys), 1)
            while (ask := table.pending) is not None:
                if "'null'" in str(ask.schema(ask.seats[0])):
                    nullable.add(ask.answer.__name__)
                dice = Dice("null", table.ask_number)
                table.answer({seat: ask.sample(seat, dice) for seat in ask.seats})
    assert nullable == {"Beliefs", "Accusation"}
