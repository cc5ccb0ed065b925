"""The rows of the table of clues: what each player said about its word, measured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from parlour.agents.scripted.clue_bank import shipped_bank
from parlour.agents.scripted.similarity import ClueSimilarity
from parlour.games.common.text import clean
from parlour.ratings.inference.clues import NAMES, Clue, covariates
from parlour.tournament.plan.model import GameEntry
from parlour.tournament.save.rows import StoredAnswer, StoredMatch

CLUE = "clue"
"""The kind of answer that is a clue, in games that have words."""


@cache
def _similarity() -> ClueSimilarity:
    return ClueSimilarity(shipped_bank())


def clue_rows(
    entry: GameEntry,
    match: StoredMatch,
    answers: Sequence[StoredAnswer],
    positions: Mapping[tuple[int, int], int],
    value: Callable[[StoredAnswer], object],
) -> Iterator[dict[str, object]]:
    """Yields a row for each clue of a finished match; none in a game without words.

    ``value`` reads the value of an answer.
    """
    outcome, setting = match.outcome, entry.setting(match.setting)
    words, special = entry.game.hints.words(setting), entry.game.scoring.special
    if outcome is None or match.frozen is not None or not words:
        return
    for answer in answers:
        if answer.kind != CLUE or answer.fault is not None:
            continue
        said = value(answer)
        text = said.get("text") if isinstance(said, dict) else None
        if not isinstance(text, str):
            continue
        role = outcome.roles[answer.seat]
        alone = role == special
        # The words of a setting are the majority's, then that of the special role if it has one.
        own = (*words, None)[1] if alone else words[0]
        agent = clean(match.agents[answer.seat])
        clue = Clue(match.number, match.game, agent, role, alone, text, own, words[0])
        measured = covariates(clue, _similarity())
        yield {
            "match": match.number,
            "ask": answer.ask,
            "seat": answer.seat,
            "agent": agent,
            "role": role,
            "special": alone,
            "position": positions.get((match.number, answer.ask)),
            **{name: getattr(measured, name) for name in NAMES},
        }
