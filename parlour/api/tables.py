"""The tables of a save, their rows batch by batch.

The export writes them to files and ``parlour.open`` gives them as data frames. ``columns.py`` has
their columns."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from itertools import count as count_from
from typing import TYPE_CHECKING, Any

from parlour.agents.registry import AgentConfig
from parlour.api.columns import TABLES
from parlour.games.common.progress import tracked
from parlour.games.common.text import clean, clean_all
from parlour.games.engine.game import BUILT_IN, Game
from parlour.games.engine.moves import Outcome
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.families.clues.honesty import judged_clues
from parlour.ratings.measures.conditions import condition_name
from parlour.ratings.reports.head_to_head import results
from parlour.tournament.plan.model import GameEntry
from parlour.tournament.reports.conduct import conduct, conduct_record
from parlour.tournament.save.database import damaged
from parlour.tournament.save.queries import positions_of
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredAnswer, StoredCall, StoredMatch, notes_to_json

if TYPE_CHECKING:
    from parlour.agents.scripted.similarity import ClueSimilarity
    from parlour.tournament.reports.prompts import Exchange

SETTING = ("tier", "mode", "special_seat")
"""The columns that every row of a match has from its setting."""


SPOKEN = {"clue": "text", "supposed_word": "word"}
"""The kind of answer that is a clue, in games that have words, and of a word supposed; its text."""
MATCHES_PER_BATCH = 100
"""Matches that are read in one transaction and held in memory together."""

Cells = dict[str, object]
WINNERS = ("model_a", "tie", "model_b")
"""The winner of a pair by the index of its result: a win of the first, a draw, a loss."""


def batches(
    save: Save, wanted: Collection[str] = TABLES.keys()
) -> Iterator[dict[str, list[Cells]]]:
    """Yields the rows of the wanted tables, some matches at a time.

    All rows of a match are read in one transaction. Agents and their conduct come last, over all
    that is stored by then.
    """
    if {*wanted} - {"agents", "conduct"}:
        yield from _batches_of_matches(save, wanted)
    last: dict[str, list[Cells]] = {}
    if "agents" in wanted:
        last["agents"] = [_agent(config) for config in save.tournament.agents]
    if "conduct" in wanted:
        with save.one_moment():
            last["conduct"] = [conduct_record(one) for one in conduct(save)]
    if last:
        yield last


def _batches_of_matches(save: Save, wanted: Collection[str]) -> Iterator[dict[str, list[Cells]]]:
    @cache  # many matches share one
    def setting(entry: int, number: int) -> Cells:
        return _of_setting(save.tournament.games[entry], number)

    last = -1
    count = save.match_count().matches
    for _ in tracked(count_from(0), "Writing tables", count // MATCHES_PER_BATCH + 1):
        with save.one_moment():
            matches = save.matches_after(last, MATCHES_PER_BATCH)
            if not matches:
                return
            numbers = range(matches[0].number, matches[-1].number + 1)
            answers = [*save.answers(numbers)] if {"answers", "calls", "clues"} & {*wanted} else []
            calls = [*save.calls(numbers)] if "calls" in wanted else []
        last = matches[-1].number
        agents = {match.number: match.agents for match in matches}
        positions = positions_of(answers)
        rows: dict[str, list[Cells]] = {
            "matches": [
                _match(save, match, setting(match.entry, match.setting)) for match in matches
            ],
            "pairwise": list(chain.from_iterable(_pairs(save, match) for match in matches)),
            "seats": list(chain.from_iterable(_seats(save, match) for match in matches)),
            "answers": [
                _answer(
                    save, agents[answer.match], answer, positions.get((answer.match, answer.ask))
                )
                for answer in answers
            ],
            "calls": [
                _call(save, seq, call, positions.get((call.match, call.ask))) for seq, call in calls
            ],
        }
        shared: dict[object, Cells] = {
            match.number: _shared(setting(match.entry, match.setting)) for match in matches
        }
        if "clues" in wanted:
            rows["clues"] = list(_clues(save, matches, answers, positions))
        for name in rows.keys() & {"seats", "answers", "calls", "clues"}:
            rows[name] = [row | shared[row["match"]] for row in rows[name]]
        yield {name: of for name, of in rows.items() if name in wanted}


def prompt_batches(save: Save) -> Iterator[dict[str, list[Cells]]]:
    """Yields the exact prompts and raw answers, match by match."""
    from parlour.tournament.reports.prompts import reading

    with reading(save) as prompts:
        matches = save.matches()
        for match in tracked(matches, "Writing prompts", len(matches)):
            positions = positions_of(save.answers_of(match.number))
            entry = save.tournament.games[match.entry]
            shared = _shared(_of_setting(entry, match.setting))
            rows = []
            for each in prompts.of_match(match.number):
                position = {"position": positions.get((match.number, each.call.ask))}
                rows.append(each.as_record() | position | shared)
            yield {"prompts": rows}


def chat_batches(save: Save) -> Iterator[dict[str, list[Cells]]]:
    """Yields what models were asked and answered as chats, match by match.

    Calls that failed are left out, those of no model, and those whose prompt is not verified.
    """
    from parlour.tournament.reports.prompts import reading

    with reading(save) as prompts:
        matches = save.matches()
        for match in tracked(matches, "Writing chats", len(matches)):
            kinds = {answer.ask: answer.kind for answer in save.answers_of(match.number)}
            answered = [
                each
                for each in prompts.of_match(match.number)
                if each.problem is None and each.call.failure is None and each.call.model
            ]
            rewards = [(seat["payoff"], seat["won"]) for seat in _seats(save, match)]
            rows = []
            for each in answered:
                call, completion = each.call, [message("assistant", each.call.text or "")]
                reward, won = (None, None) if each.fault else rewards[call.seat]
                prompt = prompt_of(each)
                rows.append(
                    {
                        **{name: getattr(call, name) for name in ("match", "ask", "seat")},
                        **{"agent": call.agent, "model": call.model, "game": match.game},
                        **{"kind": kinds.get(call.ask), "prompt": prompt},
                        **{"completion": completion, "messages": prompt + completion},
                        **{"reward": reward, "won": won, "thinking": call.thinking},
                        **{"fault": each.fault, "seq": each.seq},
                    }
                )
            yield {"chat": rows}


def prompt_of(exchange: "Exchange") -> list[dict[str, str]]:
    """The messages that a model was sent, as chats have them."""
    assert exchange.request is not None
    return [message(role, text) for role, text in exchange.request.messages]


def message(role: str, text: str) -> dict[str, str]:
    """A message of a chat."""
    return {"role": role, "content": text}


def _game(save: Save, match: StoredMatch) -> Game:
    return save.tournament.games[match.entry].game


def _of_setting(entry: GameEntry, number: int) -> Cells:
    """The cells of a match that come from its setting."""
    setting, covariates = entry.setting(number), entry.covariates(number)
    sides, special = entry.game.sides(setting), entry.game.scoring.special or ""
    return {
        "tier": _text(covariates.tier),
        "mode": _text(covariates.mode),
        "special_seat": sides.index(special) if sides.count(special) == 1 else None,
        "setting_fields": clean_all(setting.model_dump(mode="json")),
    }


def _shared(setting: Cells) -> Cells:
    """The cells of a setting that every row of its matches has."""
    return {column: setting[column] for column in SETTING}


def _match(save: Save, match: StoredMatch, setting: Cells) -> Cells:
    game, outcome = _game(save, match), match.outcome
    got_away = None
    if outcome and game.scoring.special is not None:
        special = outcome.roles.index(game.scoring.special)
        got_away = outcome.ending in game.scoring.deception_endings or special in outcome.winners
    return {
        "match": match.number,
        "game": match.game,
        "condition": condition_name(save.tournament.games[match.entry].condition),
        "experiment": match.experiment,
        "setting": match.setting_key,
        **setting,
        "seed": match.seed,
        "ending": outcome.ending if outcome else None,
        "got_away": got_away,
        "welfare": sum(
            payoff
            for agent, payoff in zip(match.agents, outcome.payoffs, strict=True)
            if agent != BUILT_IN
        )
        if outcome
        else None,
        "facts": outcome.facts if outcome else None,
        "frozen": match.frozen,
    }


def _seats(save: Save, match: StoredMatch) -> Iterator[Cells]:
    scoring, outcome = _game(save, match).scoring, match.outcome
    special = scoring.special
    has_winners = scoring.wins or any(most is not None for most in scoring.roles.values())
    for seat, agent in enumerate(match.agents):
        role = outcome.roles[seat] if outcome else None
        yield {
            "match": match.number,
            "seat": seat,
            "agent": agent,
            "counted": seat in match.counted,
            "role": role,
            "special": role == special if outcome and special else None,
            "told_role": role in scoring.roles_told if outcome and special else None,
            "side": outcome.sides[seat] if outcome else None,
            "payoff": outcome.payoffs[seat] if outcome else None,
            "most_credits": scoring.roles[role] if role is not None else None,
            "won": seat in outcome.winners if outcome and has_winners else None,
        }


def _clues(
    save: Save,
    matches: Sequence[StoredMatch],
    answers: Sequence[StoredAnswer],
    positions: Mapping[tuple[int, int], int],
) -> Iterator[Cells]:
    """Yields a row for each clue of the finished matches of word games."""
    of_match: dict[int, list[StoredAnswer]] = defaultdict(list)
    for answer in answers:
        if answer.kind in SPOKEN and answer.fault is None:
            of_match[answer.match].append(answer)
    for match in matches:
        entry = save.tournament.games[match.entry]
        words = entry.game.hints.words(entry.setting(match.setting))
        if match.outcome is None or match.frozen is not None or not words:
            continue
        given = []
        for answer in of_match[match.number]:
            said = _json(save, f"match {answer.match}, ask {answer.ask}", answer.value)
            if isinstance(said, dict) and isinstance(said.get(SPOKEN[answer.kind]), str):
                given.append(Answered(answer.ask, answer.kind, answer.round, answer.seat, said))
        for clue, honest in judged_clues(given, entry.covariates(match.setting)):
            position = positions.get((match.number, clue.ask))
            row = _clue(entry.game, match, match.outcome, words, clue, position)
            yield row | {"honest": honest}


def _clue(
    game: Game,
    match: StoredMatch,
    outcome: Outcome,
    words: Sequence[str],
    answer: Answered,
    position: int | None,
) -> Cells:
    """The row of a clue: what a player said about its word, measured."""
    from parlour.ratings.inference.clues import covariates

    role = outcome.roles[answer.seat]
    alone = role == game.scoring.special
    # The words of a setting are the majority's, then that of the special role if it has one.
    own = (*words, None)[1] if alone else words[0]
    return {
        "match": match.number,
        "ask": answer.ask,
        "seat": answer.seat,
        "agent": clean(match.agents[answer.seat]),
        "role": role,
        "special": alone,
        "position": position,
        **covariates(answer.value["text"], own, words[0], _similarity())._asdict(),
    }


@cache
def _similarity() -> "ClueSimilarity":
    from parlour.agents.scripted.similarity import ClueSimilarity
    from parlour.games.families.clues.clue_bank import shipped_bank  # loads the bank

    return ClueSimilarity(shipped_bank())


def _pairs(save: Save, match: StoredMatch) -> Iterator[Cells]:
    """Yields who won where two agents met, as packages that rank models read it."""
    outcome = match.outcome
    if outcome is None or match.frozen is not None:
        return
    condition = save.tournament.games[match.entry].condition
    seated = match.number, match.game, condition, match.setting_key, match.agents
    for agent, other, result in results(MatchRecord(*seated, match.counted, outcome, ())):
        yield {
            "match": match.number,
            "game": match.game,
            "condition": condition_name(condition),
            "model_a": clean(agent),
            "model_b": clean(other),
            "winner": WINNERS[result],
        }


def _agent(config: AgentConfig) -> Cells:
    return {
        "agent": clean(config.name),
        "kind": config.kind,
        "model": _text(getattr(config, "model", None)),
        "meta": clean_all(config.meta),
    }


def _answer(
    save: Save, agents: tuple[str, ...], answer: StoredAnswer, position: int | None
) -> Cells:
    place = f"match {answer.match}, ask {answer.ask}"
    notes = notes_to_json(answer.notes)
    own = {"agent": agents[answer.seat], "position": position, "notes": notes}
    return _stored(save, place, "answers", answer, own)


def _call(save: Save, seq: int, call: StoredCall, position: int | None) -> Cells:
    place = f"match {call.match}, ask {call.ask}"
    own = {"try": call.try_, "dollars": call.price, "seq": seq, "position": position}
    return _stored(save, place, "calls", call, own)


def _stored(save: Save, place: str, table: str, item: object, own: Mapping[str, Any]) -> Cells:
    """The row of something stored: its attributes by column, but for those in ``own``.

    Texts are cleaned, and texts of JSON are read.
    """
    row: Cells = {}
    for name, kind in TABLES[table].items():
        if name not in SETTING:
            value = own[name] if name in own else getattr(item, name)
            if kind == "json":
                value = _json(save, place, value)
            row[name] = _text(value) if kind == "text" else value
    return row


def _text(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _json(save: Save, place: str, text: str | None) -> object:
    """Returns the cleaned value of a stored JSON text. Raises BadSave."""
    if text is None:
        return None
    try:
        return clean_all(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise damaged(save.path, f"{place}: {error}") from None
