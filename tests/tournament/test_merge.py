"""Merged saves: the laws of merging, the refusals, and everything that comes along."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from parlour.agents.registry import ScriptedConfig
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.engine.moves import Seat
from parlour.tournament.plan.additions import Addition
from parlour.tournament.plan.merging import renamed_experiment
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.growing.fork import ForkChange, fork_match
from parlour.tournament.save.merging.merge import Rename, merge_saves, parse_rename
from parlour.tournament.save.provenance.origins import Repeats
from parlour.tournament.save.provenance.remarks import remarks, remarks_of
from parlour.tournament.save.reader import Save
from tests.merging import OTHER, base_save, board_of, cut, grown_save, matches_of
from tests.tournaments import ROOT, SMALL, forge, in_save, new_save, printed, refused

BASES = ("a", "b", "c")
"""Two runs of one tournament, the second one made first, and a run of another one."""
GROWN = ("kim", "zoe", "both", "more", "after")
"""Three copies of a that grew, the last one twice; b with repetitions; a merged save that grew."""


def added(*names: str) -> Addition:
    return Addition(agents={"agents": [{"name": name, "strategy": "random"} for name in names]})


@pytest.fixture(scope="module")
def bases() -> Iterator[dict[str, Path]]:
    folder = Path(mkdtemp(prefix="merging-"))
    a = base_save(folder, SMALL, "a", "2026-02-01T00:00:00+00:00")
    b = base_save(folder, SMALL, "b", "2026-01-01T00:00:00+00:00")
    kim, zoe = grown_save(a, "kim", added("Kim")), grown_save(a, "zoe", added("Zoe"))
    merged = folder / "merged.db"
    merge_saves(merged, [kim, b])
    yield {
        **{"a": a, "b": b, "kim": kim, "zoe": zoe},
        "c": base_save(folder, OTHER, "c", "2026-01-01T00:00:00+00:00"),
        "both": grown_save(zoe, "both", added("Kim")),
        "more": grown_save(b, "more", Addition(repetitions=2)),
        "after": grown_save(merged, "after", added("Zoe")),
    }
    shutil.rmtree(folder)


CUTS = st.dictionaries(st.integers(1, 24), st.integers(0, 20), max_size=16)
DRAWN = st.tuples(st.sampled_from([*BASES, *GROWN]), CUTS)


class Folder:
    """A folder with saves under running numbers."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="merged-"))
        self.count = 0

    def next(self) -> Path:
        self.count += 1
        return self.path / f"{self.count}.db"

    def merge(self, *paths: Path) -> Path:
        out = self.next()
        merge_saves(out, paths)
        return out


def hold_the_laws(bases: dict[str, Path], examples: int) -> None:
    """Tries the laws of merging on so many triples of saves."""

    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],  # shrinking would merge hundreds of times
    )
    @given(drawn=st.lists(DRAWN, min_size=3, max_size=3))
    def laws(drawn: list[tuple[str, dict[int, int]]]) -> None:
        folder = Folder()
        a, b, c = (cut(bases[base], folder.next(), left) for base, left in drawn)
        merged = folder.merge
        at_once = merged(a, b, c)
        contents, board = matches_of(at_once), board_of(at_once)
        in_steps = merged(merged(a, b), c)
        others = [
            *(in_steps, merged(a, merged(b, c)), merged(c, b, a), merged(at_once, b)),
            *(merged(at_once, at_once), merged(merged(c, a), merged(b, a))),
        ]
        for other in others:
            assert matches_of(other) == contents
        assert [board_of(other) for other in others[:3]] == [board] * 3
        assert matches_of(merged(a, a)) == matches_of(a)
        assert board_of(merged(a, a)) == board_of(a)
        assert in_save(in_steps, first_difference) is None
        shutil.rmtree(folder.path)

    laws()


def test_merging_is_associative_commutative_and_idempotent(bases: dict[str, Path]) -> None:
    hold_the_laws(bases, examples=4)


@pytest.mark.soak
def test_merging_is_so_for_many_saves(bases: dict[str, Path]) -> None:
    hold_the_laws(bases, examples=100)


def test_a_merged_save_grows_by_others(bases: dict[str, Path], tmp_path: Path) -> None:
    out, (first, *others) = tmp_path / "all.db", [bases[base] for base in BASES]
    for path in (first, *others, first):  # the last one adds nothing
        said = printed("merge", out, path, "--append", cwd=tmp_path)
        assert said.startswith(f"Written: {out}")
    merge_saves(tmp_path / "at_once.db", [first, *others])
    with Save(out) as grown, Save(tmp_path / "at_once.db") as at_once:
        assert grown.match_count() == at_once.match_count()
        assert first_difference(grown) is None
    assert not list(tmp_path.glob("*merging*"))


def test_merged_matches_are_those_of_the_saves(bases: dict[str, Path], tmp_path: Path) -> None:
    every: dict[tuple[str, int], Any] = {}
    for base in BASES:
        every |= matches_of(bases[base])
    out = tmp_path / "out.db"
    merged = merge_saves(out, [bases[base] for base in BASES])
    assert matches_of(out) == every
    assert len(every) == merged.matches.matches == merged.matches.finished
    assert merged.repeated == 12  # two of the runs had one seed
    assert [origin.save[0] for origin in merged.origins] == ["b", "c", "a"]
    with Save(out) as save:
        assert [match.number for match in save.matches()] == [*range(1, len(every) + 1)]
        assert [match.place for match in save.matches()] == [None] * len(every)
        assert save.tournament.repetitions == 2
        assert save.tournament.seed == 7
        assert [entry.game.name for entry in save.tournament.games] == [
            "undercover",
            "prisoners_dilemma",
        ]
        assert save.name == "small"


def test_a_leaderboard_warns_of_matches_that_repeat_others(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    def said(*saves: Path) -> list[str]:
        out = tmp_path / f"{len(list(tmp_path.iterdir()))}.db"
        merge_saves(out, saves)
        made = [remark for remark in in_save(out, remarks_of) if remark.kind == "seeds"]
        assert {remark.level for remark in made} <= {"warning"}
        return [remark.sentence for remark in made]

    assert said(bases["a"], bases["c"]) == []
    (sentence,) = said(*(bases[name] for name in BASES))
    assert sentence.startswith("12 matches of scripted players only repeat other matches")
    early = cut(bases["b"], tmp_path / "early.db", {1: 3, 2: 0})  # only what is over is rated
    (sentence,) = said(bases["a"], early)
    assert sentence.startswith("10 matches of scripted")


def test_matches_of_models_that_repeat_others_are_noted_quietly() -> None:
    (note,) = remarks([], repeats=Repeats(scripted=0, others=1))
    assert (note.kind, note.level) == ("seeds", "note")
    assert note.sentence.startswith("1 match had the setting, seats and dice of another one")
    assert remarks([], repeats=Repeats(0, 0)) == []
    assert len(remarks([], repeats=Repeats(1, 1))) == 2


def changed(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def made(folder: Path, name: str, text: str = SMALL) -> Path:
    place = folder / name
    place.mkdir()
    return new_save(place, text, f"{name}.db")


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        (
            [('strategy = "bayesian"', 'strategy = "literal"')],
            '{b}: agent \'Ada\': strategy is "literal", and "bayesian" in {a};'
            " if it is another agent: --rename Ada=NEW@{b}",
        ),
        (
            [("seed = 7", 'seed = 7\nschedule = "challenger"\ndefender = "Rob"')],
            '{b}: schedule: is "challenger", and "round_robin" in {a}; leave one of them out',
        ),
    ],
)
def test_tournaments_that_do_not_fit_are_refused_in_one_line(
    tmp_path: Path, pairs: list[tuple[str, str]], problem: str
) -> None:
    a, b = made(tmp_path, "a"), made(tmp_path, "b", changed(SMALL, *pairs))
    first_made(a)
    out = tmp_path / "out.db"
    line = refused("merge", out, a, b, cwd=tmp_path)
    assert line == "parlour: " + problem.format(a=a, b=b)
    assert not out.exists()


def first_made(save: Path) -> None:
    """Makes a save the oldest."""
    forge(save, "UPDATE tournament SET created = '2020-01-01T00:00:00+00:00'")


def test_saves_of_other_rules_are_not_merged(tmp_path: Path) -> None:
    a, b = made(tmp_path, "a"), made(tmp_path, "b")
    first_made(a)
    forge(b, "UPDATE tournament SET spec = json_set(spec, '$.games[0].version', 1)")
    problem = "undercover: is played by the rules of version 1, and by those of version 2 in"
    with pytest.raises(BadInput, match=problem):
        merge_saves(tmp_path / "out.db", [a, b])
    assert not (tmp_path / "out.db").exists()


def test_a_fork_is_refused(tmp_path: Path) -> None:
    save = made(tmp_path, "a")
    change = ForkChange(Seat(0), agent=ScriptedConfig(name="new", strategy="random"))
    fork = fork_match(save, 1, 0, change, None)
    with pytest.raises(BadInput, match="is a fork, which no leaderboard counts"):
        merge_saves(tmp_path / "out.db", [save, fork])


def test_a_renamed_agent_is_renamed_everywhere(bases: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "out.db"
    a, c = bases["a"], bases["c"]
    merged = merge_saves(out, [a, c], [parse_rename(f"Rob=Rob 2@{c}", [a, c])])
    assert merged.agents == ["Rob 2", "Kim", "Ada", "Rob", "Lin"]
    before, after = matches_of(c), matches_of(out)
    for identity, match in before.items():
        its = after[identity]
        plan = [str(cell).replace("Rob", "Rob 2") for cell in match["plan"]]
        assert list(map(str, its["plan"])) == plan
        assert its["answers"] == match["answers"]
        names = [call[6].replace("Rob", "Rob 2") for call in match["calls"]]
        assert [call[6] for call in its["calls"]] == names
    assert {identity: after[identity] for identity in matches_of(a)} == matches_of(a)
    assert in_save(out, first_difference) is None


def test_names_within_names_are_told_apart() -> None:
    names = {"A": "Z"}

    def experiment(text: str, *agents: str) -> str:
        return renamed_experiment(f"A (b=A): {text}", "A (b=A): ", agents, names)

    assert experiment("A vs A 2", "A", "A 2") == "A (b=A): Z vs A 2"
    assert experiment("3 × A + A 2", "A", "A 2") == "A (b=A): 3 × Z + A 2"
    assert experiment("BA vs A", "BA", "A") == "A (b=A): BA vs Z"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Ada", "is not a rename; write OLD=NEW@SAVE"),
        ("Ada=@a.db", "is not a rename"),
        ("Ada=B@b.db", "'b.db' is not merged; "),
    ],
)
def test_a_bad_rename_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        parse_rename(text, [Path("a.db")])


@pytest.mark.parametrize(
    ("rename", "problem"),
    [
        ("Ida=Eve", "has no agent 'Ida'; "),
        ("Ada=Rob", "agent 'Rob': would be the name of two agents"),
        ("Ada= Eve", "leading or trailing spaces"),
    ],
)
def test_a_rename_to_nothing_usable_is_refused(tmp_path: Path, rename: str, problem: str) -> None:
    save = made(tmp_path, "a")
    with pytest.raises(BadInput, match=problem):
        merge_saves(tmp_path / "out.db", [save], [parse_rename(f"{rename}@{save}", [save])])


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        (
            "UPDATE answers SET value = '{}' WHERE match = 3 AND ask = 2",
            "match 3: the answer of Player . to ask 2 is not as in match 3 of",
        ),
        (
            "UPDATE calls SET text = 'other' WHERE match = 4 AND attempt = 2",
            "match 4: a call for the answer of Player 1 to ask . is not as in match 4 of",
        ),
        ("UPDATE stored_matches SET seed = 5 WHERE number = 6", "match 6: seed is not as in"),
        (
            "UPDATE matches SET outcome = json_set(outcome, '$.ending', 'x') WHERE number = 2",
            "match 2: outcome is not as in match 2",
        ),
    ],
)
def test_a_match_that_was_played_differently_is_refused(
    bases: dict[str, Path], tmp_path: Path, sql: str, problem: str
) -> None:
    other = cut(bases["a"], tmp_path / "other.db", {})
    forge(other, sql)
    with pytest.raises(BadInput, match=problem):
        merge_saves(tmp_path / "out.db", [bases["a"], other])
    assert not (tmp_path / "out.db").exists()


def test_what_may_change_between_runs_is_that_of_the_save_named_first(tmp_path: Path) -> None:
    model = (
        SMALL + '[[agents]]\nname = "Eve"\nkind = "llm"\nmodel = "m"\n'
        'api_base = "http://127.0.0.1:1/v1"\ntimeout = 5.0\nmeta = { size = 1 }\n'
        '[[limits]]\nendpoint = "http://127.0.0.1:1/v1"\nin_flight = 3\n'
    )
    other = changed(
        model, (":1/v1", ":2/v1"), ("timeout = 5.0", "timeout = 6.0"), ("size = 1", "size = 2")
    )
    a, b = made(tmp_path, "a", model), made(tmp_path, "b", other)
    first_made(a)
    for paths, timeout, size in (([a, b], 5.0, 1), ([b, a], 6.0, 2)):
        out = tmp_path / f"{size}.db"
        merge_saves(out, paths)
        with Save(out) as save:
            eve = save.tournament.models["Eve"]
            assert (eve.timeout, eve.meta) == (timeout, {"size": size})
            assert len(save.control().limits) == 2


def test_money_and_reservations_are_added_up(bases: dict[str, Path], tmp_path: Path) -> None:
    a = cut(bases["a"], tmp_path / "a.db", {1: 3, 5: 7})
    c = cut(bases["c"], tmp_path / "c.db", {2: 5})
    out = tmp_path / "out.db"
    merge_saves(out, [a, c, a])
    totals = [Save(path).spent() for path in (a, c, out)]
    assert totals[2].dollars == pytest.approx(totals[0].dollars + totals[1].dollars)
    assert totals[2].calls == totals[0].calls + totals[1].calls
    assert totals[2].cached == totals[0].cached + totals[1].cached


@pytest.mark.parametrize(
    ("budgets", "expected"), [((10.0, 5.0), 15.0), ((10.0, None), None), ((None, None), None)]
)
def test_budgets_are_added_up_and_each_counts_once(
    tmp_path: Path, budgets: tuple[float | None, ...], expected: float | None
) -> None:
    saves = [made(tmp_path, name) for name in ("a", "b")]
    for save, budget in zip(saves, budgets, strict=True):
        forge(save, "UPDATE control SET budget = ?", budget)
    out, again, partly = (tmp_path / name for name in ("1.db", "2.db", "3.db"))
    merge_saves(out, saves)
    merge_saves(again, [out, saves[1], saves[1]])
    third = made(tmp_path, "c")
    forge(third, "UPDATE control SET budget = 1.0")
    merge_saves(tmp_path / "bc.db", [saves[1], third])
    merge_saves(partly, [out, tmp_path / "bc.db"])
    assert [Save(path).control().budget for path in (out, again)] == [expected, expected]
    # Two merged saves that share one: at most what was allowed, since that cannot be told apart.
    assert Save(partly).control().budget == expected


KILLED = """
import os, signal, sys
from pathlib import Path
from parlour.tournament.save import new_file
from parlour.tournament.save.merging import merge, taking

out, *saves = map(Path, sys.argv[1:])


def merge_and_die(module, name, when):
    run = getattr(module, name)

    def dying(*given):
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        run(*given)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(module, name, dying)
    merge.merge_saves(out, saves)


for module, name, when in (
    (taking, "_take_answers", "before"),
    (taking, "take_reservations", "after"),
    (taking.os, "fsync", "before"),
    (new_file.os, "link", "before"),
    (new_file.os, "link", "after"),
):
    child = os.fork()
    if child == 0:
        merge_and_die(module, name, when)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    print(os.WTERMSIG(status), out.exists())
"""


def test_a_killed_merge_leaves_the_saves_and_a_whole_file_or_none(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    a = cut(bases["a"], tmp_path / "a.db", {})
    c = cut(bases["c"], tmp_path / "c.db", {})
    before = [path.read_bytes() for path in (a, c)]
    out = tmp_path / "out.db"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *map(str, (out, a, c))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n") == ["9 False"] * 4 + ["9 True", ""]
    assert [path.read_bytes() for path in (a, c)] == before
    assert matches_of(out) == matches_of(a) | matches_of(c)
    assert in_save(out, first_difference) is None


def test_slips_of_a_hurried_user_are_refused(bases: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(BadSave, match=r"which comes first: parlour merge NEW\.db SAVE"):
        merge_saves(bases["a"], [bases["b"]])
    (tmp_path / "notes.txt").touch()
    with pytest.raises(BadSave, match=r"already exists; choose another name for the merged save$"):
        merge_saves(tmp_path / "notes.txt", [bases["b"]])
    renames = [Rename("Ada", new, bases["a"]) for new in ("Ann", "Eve")]
    with pytest.raises(BadInput, match="has two new names for 'Ada'; give one"):
        merge_saves(tmp_path / "out.db", [bases["a"]], renames)
    merge_saves(tmp_path / "out.db", [bases["a"]], renames[:1] * 2)
