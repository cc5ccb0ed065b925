"""The tables of an export: their columns, and their rows batch by batch as a save has them.

docs/export.md says what each column means.
"""

import json
from collections.abc import Iterator
from functools import cache
from typing import Literal

from parlour.games.common.text import clean, clean_all
from parlour.games.engine.game import BUILT_IN, Game
from parlour.ratings.measures.conditions import condition_name
from parlour.tournament.calls.journal import StoredCall
from parlour.tournament.reports.conduct import conduct
from parlour.tournament.reports.conduct_report import conduct_record
from parlour.tournament.save.database import damaged
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredAnswer, StoredMatch

Kind = Literal["whole", "number", "text", "flag", "json"]
"""What stands in a column; any cell may be missing besides."""
TABLES: dict[str, dict[str, Kind]] = {
    "matches": {
        "match": "whole",
        "game": "text",
        "condition": "text",
        "experiment": "text",
        "setting": "text",
        "setting_fields": "json",
        "seed": "whole",
        "ending": "text",
        "got_away": "flag",
        "welfare": "number",
        "facts": "json",
        "frozen": "text",
    },
    "seats": {
        "match": "whole",
        "seat": "whole",
        "agent": "text",
        "counted": "flag",
        "role": "text",
        "special": "flag",
        "told_role": "flag",
        "side": "text",
        "payoff": "number",
        "most_credits": "number",
        "won": "flag",
    },
    "answers": {
        "match": "whole",
        "ask": "whole",
        "round": "whole",
        "kind": "text",
        "seat": "whole",
        "agent": "text",
        "value": "json",
        "fault": "text",
        "tries": "whole",
        "notes": "json",
        "seq": "whole",
    },
    "calls": {
        "match": "whole",
        "ask": "whole",
        "seat": "whole",
        "agent": "text",
        "model": "text",
        "try": "whole",
        "number": "whole",
        "attempt": "whole",
        "failure": "text",
        "message": "text",
        "finish": "text",
        "prompt_tokens": "whole",
        "completion_tokens": "whole",
        "dollars": "number",
        "latency": "number",
        "parameters": "json",
        "prompt": "text",
        "templates": "json",
        "text": "text",
        "thinking": "text",
        "provider_id": "text",
        "copy_of": "whole",
        "seq": "whole",
    },
    "conduct": {
        "agent": "text",
        "answers": "whole",
        "faults": "json",
        "repairs": "whole",
        "repaired": "whole",
        "calls": "whole",
        "cached": "whole",
        "retries": "whole",
        "refused": "whole",
        "prompt_tokens": "whole",
        "completion_tokens": "whole",
        "dollars": "number",
        "unpriced": "whole",
        "fault_rate": "number",
        "fault_rate_low": "number",
        "fault_rate_high": "number",
        "latency_median": "number",
        "latency_95": "number",
    },
}
"""The columns of each table, in order, and the kind of each."""
AT_ONCE = 100
"""Matches that are read at one moment and held together: what bounds the memory of an export."""

Cells = dict[str, object]


def batches(save: Save) -> Iterator[dict[str, list[Cells]]]:
    """The rows of every table, some matches at a time; all of a match are of one moment.

    Last the conduct of the agents, over all that is stored by then.
    """

    @cache  # many matches share one
    def setting(entry: int, place: int) -> object:
        return clean_all(save.tournament.games[entry].setting(place).model_dump(mode="json"))

    last = -1
    while True:
        with save.one_moment():
            matches = save.matches(
                "number IN (SELECT number FROM matches WHERE number > ? ORDER BY number LIMIT ?)",
                *(last, AT_ONCE),
            )
            if not matches:
                yield {"conduct": [conduct_record(one) for one in conduct(save)]}
                return
            these = "match BETWEEN ? AND ?", matches[0].number, matches[-1].number
            answers, calls = [*save.answers(*these)], [*save.calls(*these)]
        last = matches[-1].number
        agents = {match.number: match.agents for match in matches}
        yield {
            "matches": [
                _match(save, match, setting(match.entry, match.setting)) for match in matches
            ],
            "seats": [row for match in matches for row in _seats(save, match)],
            "answers": [_answer(save, agents[answer.match], answer) for answer in answers],
            "calls": [_call(save, seq, call) for seq, call in calls],
        }


def _game(save: Save, match: StoredMatch) -> Game:
    return save.tournament.games[match.entry].game


def _match(save: Save, match: StoredMatch, setting: object) -> Cells:
    game, outcome = _game(save, match), match.outcome
    got_away = None
    if outcome and game.special is not None:
        special = outcome.roles.index(game.special)
        got_away = outcome.ending in game.deceived or special in outcome.winners
    return {
        "match": match.number,
        "game": match.game,
        "condition": condition_name(match.condition),
        "experiment": match.experiment,
        "setting": match.setting_key,
        "setting_fields": setting,
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
    game, outcome = _game(save, match), match.outcome
    has_winners = game.wins or any(most is not None for most in game.roles.values())
    for seat, agent in enumerate(match.agents):
        role = outcome.roles[seat] if outcome else None
        yield {
            "match": match.number,
            "seat": seat,
            "agent": agent,
            "counted": seat in match.counted,
            "role": role,
            "special": role == game.special if outcome and game.special else None,
            "told_role": role in game.knowing if outcome and game.special else None,
            "side": outcome.sides[seat] if outcome else None,
            "payoff": outcome.payoffs[seat] if outcome else None,
            "most_credits": game.roles[role] if role is not None else None,
            "won": seat in outcome.winners if outcome and has_winners else None,
        }


def _answer(save: Save, agents: tuple[str, ...], answer: StoredAnswer) -> Cells:
    place = f"match {answer.match}, ask {answer.ask}"
    return {
        "match": answer.match,
        "ask": answer.ask,
        "round": answer.round,
        "kind": answer.kind,
        "seat": answer.seat,
        "agent": agents[answer.seat],
        "value": _json(save, place, answer.value),
        "fault": answer.fault,
        "tries": answer.tries,
        "notes": _json(save, place, answer.notes),
        "seq": answer.seq,
    }


def _call(save: Save, seq: int, call: StoredCall) -> Cells:
    place = f"match {call.match}, ask {call.ask}"
    return {
        "match": call.match,
        "ask": call.ask,
        "seat": call.seat,
        "agent": clean(call.agent),
        "model": clean(call.model),
        "try": call.try_,
        "number": call.number,
        "attempt": call.attempt,
        "failure": _text(call.failure),
        "message": _text(call.message),
        "finish": _text(call.finish),
        "prompt_tokens": call.prompt_tokens,
        "completion_tokens": call.completion_tokens,
        "dollars": call.price,
        "latency": call.latency,
        "parameters": _json(save, place, call.parameters),
        "prompt": clean(call.prompt),
        "templates": _json(save, place, call.templates),
        "text": _text(call.text),
        "thinking": _text(call.thinking),
        "provider_id": _text(call.provider_id),
        "copy_of": call.copy_of,
        "seq": seq,
    }


def _text(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _json(save: Save, place: str, text: str | None) -> object:
    """What a stored JSON text holds, cleaned. Raises BadSave."""
    if text is None:
        return None
    try:
        return clean_all(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise damaged(save.path, f"{place}: {error}") from None
