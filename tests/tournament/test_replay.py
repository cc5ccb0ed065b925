"""Replay: changes of a save are located, and a match that differs is frozen alone."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from parlour.games.engine.moves import Seat
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import Diverged, feed, rebuild
from tests.tournaments import (
    ANSWERS,
    MATCHES,
    contents,
    in_save,
    new_save,
    parlour,
    play,
    refused,
    sql,
    stored_rows,
    tamper,
)


def difference(path: Path) -> str | None:
    return in_save(path, first_difference)


def row(path: Path, columns: str, table: str, where: str) -> tuple:
    (first,) = stored_rows(path, f"SELECT {columns} FROM {table} WHERE {where} LIMIT 1")
    return first


def seats_swapped(path: Path) -> None:
    """Two answers to one simultaneous ask change places."""
    where = "match = 4 AND kind = 'vote' AND seat"
    tamper(path, f"UPDATE answers SET seat = 9 WHERE {where} = 0")
    tamper(path, f"UPDATE answers SET seat = 0 WHERE {where} = 1")
    tamper(path, f"UPDATE answers SET seat = 1 WHERE {where} = 9")


# Match 4 of the small tournament takes 11 asks: three clues (asks 0 to 2, spoken by seats 2, 1
# and 0), own roles (3), beliefs (4), three clues (5 to 7), own roles (8), beliefs (9), votes (10).
PLAN = "the stored plan differs from the tournament's schedule"
TAMPERED: dict[str, tuple[Callable[[Path], None], str]] = {
    "another clue": (
        sql("""UPDATE answers SET value = '{"text":"Hm"}' WHERE match = 4 AND ask = 1"""),
        "match 4, ask 2, Player 1: what the asked players had been told differs from the replay",
    ),
    "an illegal clue": (
        sql("""UPDATE answers SET value = '{"text":" "}' WHERE match = 4 AND ask = 1"""),
        "match 4, ask 1, Player 2, clue: the clue is blank: say something about your word",
    ),
    "a clue of another form": (
        sql("""UPDATE answers SET value = '{"txt":"Hm"}' WHERE match = 4 AND ask = 1"""),
        "match 4, ask 1, Player 2, field text: is missing",
    ),
    "a clue that is no JSON": (
        sql("UPDATE answers SET value = '{' WHERE match = 4 AND ask = 1"),
        "match 4, ask 1, Player 2: invalid JSON: EOF while parsing an object at line 1 column 1"
        " (got '{')",
    ),
    "another vote": (
        sql("""UPDATE answers SET value = '{"suspect":2}' WHERE match = 4 AND ask = 10
            AND seat = 0"""),
        'match 4: outcome {"ending": "caught", "facts": {}, "payoffs": [3.0, 0.0, 3.0],'
        ' "roles": ["civilian",'
        ' "undercover", "civilian"], "sides": ["civilian", "undercover", "civilian"],'
        ' "winners": [0, 2]} is stored, {"ending": "tie", "facts": {},'
        ' "payoffs": [1.0, 2.0, 1.0],'
        ' "roles": ["civilian", "undercover", "civilian"], "sides": ["civilian", "undercover",'
        ' "civilian"], "winners": []} is replayed',
    ),
    "votes of two seats swapped": (
        seats_swapped,
        "match 4, ask 10, Player 1, vote: you cannot vote for yourself: name one of the"
        " other players",
    ),
    "another digest": (
        sql("UPDATE answers SET digest = '0123456789abcdef' WHERE match = 4 AND ask = 9"),
        "match 4, ask 9, Player 1: what the asked players had been told differs from the replay",
    ),
    "a fault that was none": (
        sql("UPDATE answers SET fault = 'empty' WHERE match = 4 AND ask = 0"),
        "match 4, ask 0, Player 3: the fallback differs from the replay",
    ),
    "a fault of no class": (
        sql("""UPDATE answers SET fault = 'late', value = '{"text":"(no clue)"}'
            WHERE match = 4 AND ask = 0"""),
        "match 4, ask 0, Player 3: 'late' is not a valid FaultKind",
    ),
    "an abstention without a fault": (
        sql("""UPDATE answers SET value = '{"suspect":null}' WHERE match = 4 AND ask = 10
            AND seat = 0"""),
        "match 4, ask 10, Player 1, vote: nobody is named: name one of the other players",
    ),
    "another kind": (
        sql("UPDATE answers SET kind = 'vote' WHERE match = 4 AND ask = 3"),
        "match 4, ask 3, Player 1: stored as 'vote' of round 1, but the replay asks 'own_role' of"
        " round 1 (ask 3)",
    ),
    "another round": (
        sql("UPDATE answers SET round = 2 WHERE match = 4 AND ask = 3"),
        "match 4, ask 3, Player 1: stored as 'own_role' of round 2, but the replay asks 'own_role'"
        " of round 1 (ask 3)",
    ),
    "another ending": (
        sql("UPDATE matches SET outcome = replace(outcome, 'caught', 'tie') WHERE number = 4"),
        'match 4: outcome {"ending": "tie", "facts": {}, "payoffs": [3.0, 0.0, 3.0],'
        ' "roles": ["civilian",'
        ' "undercover", "civilian"], "sides": ["civilian", "undercover", "civilian"],'
        ' "winners": [0, 2]} is stored, {"ending": "caught", "facts": {},'
        ' "payoffs": [3.0, 0.0, 3.0],'
        ' "roles": ["civilian", "undercover", "civilian"], "sides": ["civilian", "undercover",'
        ' "civilian"], "winners": [0, 2]} is replayed',
    ),
    "no last answer": (
        sql("DELETE FROM answers WHERE match = 4 AND ask = 10 AND seat = 2"),
        "match 4: has an outcome, but its answers do not end it",
    ),
    "no first answer": (
        sql("DELETE FROM answers WHERE match = 4 AND ask = 0"),
        "match 4, ask 1, Player 2: stored as 'clue' of round 1, but the replay asks 'clue' of"
        " round 1 (ask 0)",
    ),
    "no answers": (
        sql("DELETE FROM answers WHERE match = 4"),
        "match 4: has an outcome, but its answers do not end it",
    ),
    "an answer after the end": (
        sql("""INSERT INTO answers (match, ask, seat, kind, round, value, tries, digest)
            VALUES (4, 11, 0, 'vote', 2, '{"suspect":1}', 1, '')"""),
        "match 4, ask 11, Player 1: the replayed match was over before this answer",
    ),
    "an answer of a seat that was not asked": (
        sql("""INSERT INTO answers (match, ask, seat, kind, round, value, tries, digest)
            VALUES (4, 0, 0, 'clue', 1, '{"text":"Hm"}', 1, '')"""),
        "match 4, ask 0, Player 1: the replay does not wait for this player",
    ),
    "answers of a match that is not planned": (
        sql("UPDATE answers SET match = 13 WHERE match = 4"),
        "match 13: has answers, but is not in the plan",
    ),
    "another seed of a match": (
        sql("UPDATE matches SET seed = seed + 1 WHERE number = 4"),
        f"match 4: {PLAN}",
    ),
    "another agent": (
        sql("""UPDATE matches SET agents = '["Ada", "Rob", "Ada"]' WHERE number = 4"""),
        f"match 4: {PLAN}",
    ),
    "another setting": (sql("UPDATE matches SET setting = 1 WHERE number = 4"), f"match 4: {PLAN}"),
    "another setting's key": (
        sql("UPDATE matches SET setting_key = '' WHERE number = 4"),
        f"match 4: {PLAN}",
    ),
    "a seat that does not count": (
        sql("UPDATE matches SET counted = '[0]' WHERE number = 4"),
        f"match 4: {PLAN}",
    ),
    "another condition": (
        sql("UPDATE matches SET condition = 'probes=off' WHERE number = 4"),
        f"match 4: {PLAN}",
    ),
    "another experiment": (
        sql("UPDATE matches SET experiment = 'mine' WHERE number = 4"),
        f"match 4: {PLAN}",
    ),
    "a match less": (sql("DELETE FROM matches WHERE number = 12"), f"match 12: {PLAN}"),
    "a match in the middle less": (sql("DELETE FROM matches WHERE number = 4"), f"match 4: {PLAN}"),
    "a match more": (
        sql("""INSERT INTO matches SELECT 13, entry, game, condition, setting, setting_key,
            experiment, agents, counted, seed, outcome, frozen, 13, NULL, NULL
            FROM matches WHERE number = 12"""),
        f"match 13: {PLAN}",
    ),
    "another seed of the tournament": (
        sql("""UPDATE tournament SET spec = replace(spec, '"seed": 7', '"seed": 8')"""),
        f"match 1: {PLAN}",
    ),
    "another word": (
        sql("UPDATE tournament SET spec = replace(spec, 'guitar', 'violin')"),
        f"match 1: {PLAN}",
    ),
    "a frozen match": (
        sql("UPDATE matches SET frozen = 'by hand' WHERE number = 4"),
        "match 4: frozen (by hand)",
    ),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_check_locates_every_change_in_a_save(played: Path, case: str) -> None:
    change, expected = TAMPERED[case]
    assert difference(played) is None
    before = contents(played)
    change(played)
    assert contents(played) != before or "tournament" in case or "word" in case
    assert difference(played) == expected


def test_check_reports_the_first_difference_and_fails(played: Path, tmp_path: Path) -> None:
    done = parlour("check", played, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    counts = f"{MATCHES} of {MATCHES} matches finished, {ANSWERS} answers"
    assert done.stdout == f"{played}: {counts}. OK: every match replays identically\n"
    for match in (9, 4):
        tamper(played, "UPDATE answers SET digest = '' WHERE match = ? AND ask = 9", match)
    assert refused("check", played, cwd=tmp_path, code=1) == (
        f"parlour: {played}: match 4, ask 9, Player 1:"
        " what the asked players had been told differs from the replay"
    )


def test_every_prefix_of_a_match_rebuilds_the_table_that_it_was(played: Path) -> None:
    with Save(played) as save:
        match = save.match(4)
        answers = save.answers_of(4)
        whole = rebuild(save.tournament, match, answers)
        assert whole.outcome == match.outcome
        for count in range(len(answers)):
            table = rebuild(save.tournament, match, answers[:count])
            # The next stored answer is one that this table waits for.
            following = answers[count]
            assert (table.ask_number, table.digest()) == (following.ask, following.digest)
            assert following.seat in table.waiting
            feed(table, following)
        with pytest.raises(Diverged, match="was over before this answer"):
            feed(whole, answers[-1])


def test_answers_of_one_ask_may_come_in_any_order(played: Path) -> None:
    with Save(played) as save:
        match = save.match(4)
        answers = save.answers_of(4)
        backwards = sorted(answers, key=lambda a: (a.ask, -a.seat))
        assert [a.seat for a in backwards if a.kind == "vote"] == [Seat(2), Seat(1), Seat(0)]
        assert rebuild(save.tournament, match, backwards).outcome == match.outcome


def unfinished(path: Path, match: int) -> None:
    """As if the process had died before the outcome was stored."""
    tamper(path, "UPDATE matches SET outcome = NULL WHERE number = ?", match)


def test_a_match_that_differs_freezes_and_the_others_go_on(played: Path, tmp_path: Path) -> None:
    before = contents(played)["matches"]
    for match in (4, 5, 6):
        unfinished(played, match)
    tamper(played, "UPDATE answers SET digest = '' WHERE match = 5 AND ask = 2")
    ended = play(played)
    why = "match 5, ask 2, Player 3: what the asked players had been told differs from the replay"
    assert ended.progress.done
    assert (ended.progress.finished, ended.progress.frozen) == (MATCHES - 1, 1)
    assert ended.stats.frozen == [why]
    after = contents(played)["matches"]
    assert after[:4] + after[5:] == before[:4] + before[5:]
    frozen = in_save(played, lambda s: s.match(5))
    assert (frozen.outcome, frozen.frozen) == (None, why)
    # And everybody is told: the run that finds it, a run after it, and the check.
    for words in (["run", "--save", played], ["run", played]):
        done = parlour(*words, cwd=tmp_path)
        assert done.returncode == 1
        assert done.stderr == f"parlour: match 5 is frozen: {why}\n"
        assert f"{MATCHES - 1} finished matches" in done.stdout
    assert refused("check", played, cwd=tmp_path, code=1) == (
        f"parlour: {played}: match 5: frozen ({why})"
    )


def test_a_match_whose_last_answer_was_stored_needs_no_agent_to_end(played: Path) -> None:
    before = contents(played)
    for match in range(1, MATCHES + 1):
        unfinished(played, match)
    ended = play(played)
    assert (ended.stats.answers, ended.stats.finished) == (0, MATCHES)
    assert contents(played) == before


def test_a_match_that_stopped_in_the_middle_of_a_vote_asks_only_the_others(played: Path) -> None:
    before = contents(played)
    unfinished(played, 4)
    tamper(played, "DELETE FROM answers WHERE match = 4 AND ask = 10 AND seat IN (0, 2)")
    ended = play(played)
    assert ended.stats.answers == 2
    assert contents(played) == before


def test_a_new_save_has_no_difference(tmp_path: Path) -> None:
    assert difference(new_save(tmp_path)) is None


def test_the_stored_digest_is_the_same_for_all_seats_of_an_ask(played: Path) -> None:
    value, count = row(
        played, "count(DISTINCT digest), count(DISTINCT ask)", "answers", "match = 4"
    )
    assert (value, count) == (11, 11)
    board = row(played, "body", "leaderboards", "1")[0]
    assert json.loads(board)["matches"] == MATCHES
