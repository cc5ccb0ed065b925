"""Queries with a single caller: new answers for screens, reports, the forecast and the cache.

``Save`` itself has what every reader needs. The functions here, in ``finished.py``,
``outline.py`` and ``provenance/`` are the only other places with SQL that reads; each returns plain
rows and leaves the arithmetic to its caller.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from typing import Any, NamedTuple

from parlour.games.common.text import one_line
from parlour.games.engine.moves import Seat
from parlour.tournament.save.database import damaged
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import (
    CALL_COLUMNS,
    StoredAnswer,
    StoredCall,
    names_of,
    problem_of,
    tidy,
)

ROWS_COUNTED = 65_536
"""Rows that are counted together."""


class NewAnswers(NamedTuple):
    """New answers of a match: how many, and kind and round of the newest."""

    answers: int
    kind: str
    round: int


def new_answers(save: Save, seq: int) -> tuple[int, dict[int, NewAnswers]]:
    """The ``seq`` of the newest answer, and the answers after ``seq`` by match."""
    new: dict[int, tuple[int, int | str, int]] = {}
    for newest, match, kind, round in save._select(
        "SELECT seq, match, kind, round FROM stored_answers WHERE seq > ? ORDER BY seq", seq
    ):
        seq = newest
        before = new.get(match)
        new[match] = (1 if before is None else before[0] + 1, kind, round)
    text_of = save._texts.text
    return seq, {
        match: NewAnswers(answers, tidy(text_of(kind)), round)
        for match, (answers, kind, round) in new.items()
    }


def over_of(save: Save, numbers: Sequence[int]) -> dict[int, bool]:
    """Those of the given matches that are over; True for frozen ones."""
    rows = save._select(
        "SELECT number, frozen IS NOT NULL FROM stored_matches"
        " WHERE number IN (SELECT value FROM json_each(?))"
        " AND (outcome IS NOT NULL OR frozen IS NOT NULL)",
        json.dumps(list(numbers)),
    )
    return {number: bool(frozen) for number, frozen in rows}


def changed_keys(save: Save, agent: str) -> list[dict[str, Any]]:
    """Returns what keys of a model were before each change of the save, the newest change first."""
    rows = save._select("SELECT body FROM changes WHERE agent = ? ORDER BY number DESC", agent)
    return [json.loads(body) for (body,) in rows]


def templates(save: Save) -> dict[str, tuple[str, str]]:
    """Name and text of the stored prompt templates, by fingerprint."""
    rows = save._select("SELECT digest, name, text FROM templates")
    return {digest: (name, text) for digest, name, text in rows}


def matches_with_calls(save: Save) -> list[int]:
    """The numbers of the matches for which models were called."""
    return [match for (match,) in save._select("SELECT DISTINCT match FROM calls ORDER BY match")]


def newest_rows(save: Save) -> tuple[int, int]:
    """The ``seq`` of the newest answer and of the newest call."""
    calls = save._one("SELECT coalesce(max(seq), 0) FROM calls")
    return save.last_seq(), calls[0]


def answer_counts(save: Save) -> list[tuple[str, int, str | None, int, int, int]]:
    """Agent, match and class of fault (None: usable), each with its number of answers.

    Then the number of those that were usable after a faulty try, and of the extra tries.
    """
    return save._select(
        "SELECT json_extract(matches.agents, '$[' || answers.seat || ']') AS agent, match, fault,"
        " count(*), sum(fault IS NULL AND tries > 1), sum(tries - 1)"
        " FROM answers JOIN matches ON matches.number = answers.match"
        " GROUP BY agent, match, fault ORDER BY agent, fault, match"
    )


class CallTotals(NamedTuple):
    """Totals of one agent's calls.

    ``calls`` are attempts that were sent, ``cached`` the answers that the cache reused instead.
    ``retries`` are attempts that failed at the provider, ``refused`` calls that the model answered
    with a refusal. Tokens and US dollars are those that providers reported. ``unpriced`` calls came
    without a price or a number of tokens; under a budget, ``dollars`` includes the most they can
    have cost.
    """

    calls: int = 0
    cached: int = 0
    retries: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float = 0.0
    unpriced: int = 0


def call_totals(save: Save) -> dict[str, CallTotals]:
    """Totals of the calls of each agent that made any."""
    rows = save._select(
        "SELECT agent, count(*) - count(copy_of), count(copy_of), count(failure),"
        " coalesce(sum(finish = 'refusal'), 0), coalesce(sum(prompt_tokens), 0),"
        " coalesce(sum(completion_tokens), 0), total(price),"
        " sum(failure IS NULL AND (price IS NULL OR completion_tokens IS NULL))"
        " FROM calls GROUP BY agent ORDER BY agent"
    )
    return {agent: CallTotals(*totals) for agent, *totals in rows}


def latencies(save: Save) -> dict[str, list[float]]:
    """Seconds that each agent's answered calls took, sorted; copies from the cache left out.

    Answers without a call, of people and of code that says nothing of its cost, count as well.
    """
    seconds: dict[str, list[float]] = defaultdict(list)
    for agent, latency in save._select(
        "SELECT agent, latency FROM calls WHERE failure IS NULL AND copy_of IS NULL"
        " UNION ALL SELECT json_extract(agents, '$[' || seat || ']'), latency"
        " FROM answers JOIN matches ON number = match WHERE latency IS NOT NULL AND NOT EXISTS"
        " (SELECT 1 FROM stored_calls AS c WHERE (c.match, c.ask, c.seat)"
        " = (answers.match, answers.ask, answers.seat) AND try = tries AND failure IS NULL)"
        " ORDER BY 1, 2"
    ):
        seconds[agent].append(latency)
    return seconds


CallAverages = tuple[str, str, float, float | None, float | None, float | None, int]
"""An agent, a kind of ask, and the averages of the answered calls for it.

They are the number of calls per answer, copies from the cache left out; prompt tokens, completion
tokens and US dollars per call, None where no call says; and the number of calls.
"""


def call_averages(save: Save) -> list[CallAverages]:
    """Averages of calls by agent and kind of ask."""
    sent = "copy_of IS NULL"
    return save._select(
        f"SELECT calls.agent, answers.kind, sum({sent}) * 1.0"
        " / count(DISTINCT calls.match || ' ' || calls.ask || ' ' || calls.seat),"
        f" avg(prompt_tokens) FILTER (WHERE {sent}),"
        f" avg(completion_tokens) FILTER (WHERE {sent}),"
        f" avg(price) FILTER (WHERE {sent}), count(*)"
        " FROM calls JOIN answers USING (match, ask, seat)"
        " WHERE failure IS NULL GROUP BY calls.agent, answers.kind"
    )


def answers_given(save: Save) -> dict[tuple[int, int, str, str], int]:
    """Answers of unfinished matches by game entry, seat, agent and kind of ask."""
    rows = save._select(
        "SELECT entry, seat, agents, kind, count(*)"
        " FROM stored_answers JOIN stored_matches ON number = match"
        " WHERE outcome IS NULL AND frozen IS NULL GROUP BY 1, 2, 3, 4"
    )
    counts: Counter[tuple[int, int, str, str]] = Counter()
    for entry, seat, cell, kind, count in rows:
        agents = _agents_of(save, cell)
        if seat < len(agents):  # a damaged save may have others
            counts[entry, seat, agents[seat], save._texts.text(kind)] += count
    return counts


def seat_counts(save: Save) -> list[tuple[int, str, int, bool, int, int]]:
    """Game entry, agent, seats of a match, and whether it is over; frozen matches left out.

    Then the agent's number of seats in all such matches, and of the answers from them.
    """
    rows = save._rows(
        "SELECT entry, agents, outcome IS NOT NULL,"
        " (SELECT group_concat(seat, ' ') FROM stored_answers WHERE match = number)"
        " FROM stored_matches WHERE frozen IS NULL"
    )
    seats: Counter[tuple[int, str, int, bool]] = Counter()
    answers: Counter[tuple[int, str, int, bool]] = Counter()
    # In parts: most matches of a part are alike, but of a million many may differ.
    while part := Counter(islice(rows, ROWS_COUNTED)):
        for (entry, cell, over, seats_of_answers), matches in part.items():
            agents = _agents_of(save, cell)
            for agent in agents:
                seats[entry, agent, len(agents), bool(over)] += matches
            for seat in map(int, (seats_of_answers or "").split()):
                if seat < len(agents):  # a damaged save may have others
                    answers[entry, agents[seat], len(agents), bool(over)] += matches
    return [(*key, seats[key], answers[key]) for key in sorted(seats)]


def _agents_of(save: Save, cell: int | str) -> tuple[str, ...]:
    try:
        return names_of(save._texts.text(cell))
    except ValueError as error:
        raise damaged(save.path, f"agents{problem_of(error)}") from None


class AgentProgress(NamedTuple):
    """The matches of an agent: planned, and finished."""

    agent: str
    planned: int
    finished: int


def progress_by_agent(save: Save) -> list[AgentProgress]:
    """The matches of each agent, by its name; one in several seats of a match counts it once."""
    planned: Counter[str] = Counter()
    finished: Counter[str] = Counter()
    for agents, count, over in save._select(
        "SELECT agents, count(*), count(outcome) FROM stored_matches GROUP BY agents"
    ):
        for agent in dict.fromkeys(_agents_of(save, agents)):
            planned[agent] += count
            finished[agent] += over
    return [AgentProgress(name, planned[name], finished[name]) for name in sorted(planned)]


def dollars_by_entry(save: Save) -> dict[tuple[int, str], float]:
    """US dollars spent by game entry and agent; frozen matches left out."""
    rows = save._select(
        "SELECT entry, calls.agent, total(price) FROM calls JOIN matches ON matches.number = match"
        " WHERE frozen IS NULL GROUP BY 1, 2"
    )
    return {(entry, agent): dollars for entry, agent, dollars in rows}


def spent_by_agent(save: Save) -> tuple[dict[str, float], int]:
    """US dollars that each agent has spent, and the highest id of an open reservation.

    A reservation that is still open belongs to a call of a killed process: it counts as spent.
    """
    spent: dict[str, float] = defaultdict(float)
    rows: list[tuple[int, str, float]] = save._select(
        "SELECT 0, agent, total(price) FROM calls GROUP BY agent"
        " UNION ALL SELECT id, agent, dollars FROM reservations"
    )
    for _id, agent, dollars in rows:
        spent[agent] += dollars
    return spent, max((row[0] for row in rows), default=0)


def open_calls(save: Save) -> dict[tuple[int, int, Seat], list[StoredCall]]:
    """The journaled calls of every ask without an answer, by match, ask and seat."""
    calls: dict[tuple[int, int, Seat], list[StoredCall]] = defaultdict(list)
    for _seq, call in save._calls(
        "NOT EXISTS (SELECT 1 FROM answers WHERE answers.match = calls.match"
        " AND answers.ask = calls.ask AND answers.seat = calls.seat)"
    ):
        calls[call.match, call.ask, call.seat].append(call)
    return calls


def cached_calls(
    save: Save, key: str, match_ref: tuple[int, int, Seat], *, between_matches: bool
) -> list[tuple[int, StoredCall]]:
    """Calls with a cache key that led to a usable answer, each with its ``seq``, the oldest first.

    Leaves out those of the ask and seat (``match_ref``: match, ask, seat), or of the whole match;
    refusals; and those of a try whose answer was faulty, or is not stored yet.
    """
    match, ask, seat = match_ref
    columns = ", ".join(f"calls.{name}" for name in CALL_COLUMNS)
    rows = save._select(
        f"SELECT calls.seq, {columns} FROM calls JOIN answers USING (match, ask, seat)"
        " WHERE cache_key = ? AND finish IS NOT 'refusal' AND fault IS NULL AND tries = try"
        " AND NOT (match = ? AND (? OR (ask = ? AND seat = ?))) ORDER BY calls.seq",
        *(key, match, between_matches, ask, seat),
    )
    return [(seq, StoredCall(*columns)) for seq, *columns in rows]


def copied_calls(save: Save, match: int) -> set[int]:
    """The ``seq`` of the calls that the cache has given to a match."""
    rows = save._select("SELECT copy_of FROM calls WHERE match = ? AND copy_of IS NOT NULL", match)
    return {source for (source,) in rows}


def positions_of(answers: Iterable[StoredAnswer]) -> dict[tuple[int, int], int]:
    """The order of the questions of one kind in a round, from 1, where one player is asked each.

    A question is its match and its number there. Questions that several players are asked at once
    have no position.
    """
    asked = Counter((answer.match, answer.round, answer.kind, answer.ask) for answer in answers)
    positions: dict[tuple[int, int], int] = {}
    for (match, *_), group in groupby(sorted(asked), key=lambda place: place[:3]):
        places = list(group)
        if all(asked[place] == 1 for place in places):
            positions |= {(match, ask): n for n, (*_, ask) in enumerate(places, start=1)}
    return positions


def decided(save: "Save") -> str | None:
    """One sentence on the last decision of an adaptive tournament; None for another one."""
    if save.tournament.schedule != "adaptive":
        return None
    row = save._select(
        "SELECT json_extract(body, '$.pairs[0]'), json_extract(body, '$.pairs[1]'), seq,"
        " json_extract(body, '$.stop'),"
        " json_extract(body, '$.stage') < (SELECT max(number) FROM stages)"
        " FROM decisions ORDER BY seq DESC LIMIT 1"
    )
    if not row:
        return None
    pairs, every, seq, stop, has_grown = row[0]
    end = one_line(str(stop)) if stop else f"decision {seq} is played"
    before = "before the tournament grew: " if has_grown else ""
    return f"{before}{pairs} of {every} pairs decided; {end}"
