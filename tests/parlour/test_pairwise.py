"""Pairs, clues and agents of an export, as other programs read them."""

from pathlib import Path

import choix
import pandas as pd
import pytest

import parlour
from parlour.api.export import write_tables
from parlour.api.results import board_of
from tests.tournaments import finished, scripted

DUEL = """
name = "duels"
seed = 3
games = [{ name = "undercover", limit = 12 }]
[[agents]]
name = "Bea"
strategy = "bayesian"
meta = { family = "careful", size = 70 }
""" + scripted(Lin="literal", Rob="random")


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished(tmp_path_factory.mktemp("duels"), DUEL)


def test_choix_reads_the_file_and_ranks_as_the_leaderboard_does(save: Path, tmp_path: Path) -> None:
    write_tables(save, "csv", tmp_path)
    pairs = pd.read_csv(tmp_path / "pairwise.csv")
    assert {*pairs["winner"]} <= {"model_a", "model_b", "tie"}
    assert (pairs["model_a"] < pairs["model_b"]).all()
    assert len(pairs) == 72  # 12 settings, 3 pairs, both sides
    names = sorted({*pairs["model_a"], *pairs["model_b"]})
    won = []
    for row in pairs.itertuples():
        a, b = names.index(row.model_a), names.index(row.model_b)
        won += {"model_a": [(a, b)], "model_b": [(b, a)], "tie": [(a, b), (b, a)]}[row.winner]
    theirs = choix.ilsr_pairwise(len(names), won, alpha=0.01)
    order = sorted(names, key=lambda name: -theirs[names.index(name)])
    ranked = [standing.agent for standing in board_of(save).by("overall")]
    assert order == ranked == ["Bea", "Lin", "Rob"]


def test_pairs_are_the_head_to_head_results(save: Path) -> None:
    pairs = parlour.open(save).pairwise()
    for meeting in board_of(save).meetings:
        own = pairs.query("model_a == @meeting.agent and model_b == @meeting.other")["winner"]
        counts = [int((own == winner).sum()) for winner in ("model_a", "tie", "model_b")]
        assert counts == [meeting.wins, meeting.draws, meeting.losses]


def test_agents_have_their_meta(save: Path) -> None:
    agents = parlour.open(save).agents().set_index("agent")
    assert agents.loc["Bea", "meta"] == {"family": "careful", "size": 70}
    assert agents.loc["Rob", "meta"] == {}
    assert set(agents["kind"]) == {"scripted"}
    by = parlour.open(save).leaderboard(by="meta.family")
    assert set(by["agent"]) == {"careful", "no family"}


def test_clues_are_those_of_the_answers(save: Path) -> None:
    results = parlour.open(save)
    clues, answers = results.clues(), results.answers()
    said = answers[(answers["kind"] == "clue") & answers["fault"].isna()]
    joined = clues.merge(said, on=["match", "ask", "player"])
    assert len(joined) == len(clues) == len(said)
    lengths = [len(value["text"].replace("-", " ").split()) for value in joined["value"]]
    assert joined["words"].corr(pd.Series(lengths, dtype=float)) > 0.95
    # The majority's own word is the majority's word; the undercover's is another.
    ordinary = clues[~clues["special"].astype(bool)]
    assert (ordinary["own_similarity"] == ordinary["majority_similarity"]).all()
    special = clues[clues["special"].astype(bool)]
    assert (special["own_similarity"] > special["majority_similarity"]).mean() > 0.5
