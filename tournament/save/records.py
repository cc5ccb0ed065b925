"""Records of finished matches, as ratings read them, made of the rows of a save."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any

from pydantic import TypeAdapter

from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, Covariates, MatchRecord
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.rows import StoredMatch, tidy

ANSWERS_SHARED = 65_536
"""Different answers that are kept meanwhile: scripted players give the same again and again."""
_VALUE = TypeAdapter(dict[str, Any])


def answered(ask: int, kind: str, round: int, seat: Seat, text: str, fault: str | None) -> Answered:
    """Returns an answer from its columns. ValueError if its JSON is not an object."""
    value = _VALUE.validate_json(text)
    stored = f"{ask} {kind} {round} {seat} {fault} {text}"
    digest = blake2b(stored.encode(errors="surrogatepass"), digest_size=8).digest()
    fault = None if fault is None else tidy(fault)
    return Answered(ask, tidy(kind), round, seat, value, fault, digest)


class RecordMaker:
    """Makes records of a tournament's matches; equal answers are one object, parsed once.

    ``answered`` takes cells of ``stored_answers``, of which ``text_of`` returns the texts.
    Conditions are told by today's defaults, whatever version of a game was played.
    """

    def __init__(self, tournament: Tournament, text_of: Callable[[int | str], str]) -> None:
        self._common = tournament.seeding == "common"
        self._conditions = [entry.condition_today for entry in tournament.games]

        @lru_cache(maxsize=ANSWERS_SHARED)
        def answered_in_cells(
            ask: int, kind: int | str, round: int, seat: Seat, value: int | str, fault: str | None
        ) -> Answered:
            return answered(ask, text_of(kind), round, seat, text_of(value), fault)

        self.answered = answered_in_cells

        @cache  # many matches share one
        def covariates(entry: int, setting: int) -> Covariates:
            return tournament.games[entry].covariates(setting)

        self._covariates = covariates

    def record(self, match: StoredMatch, answers: Iterable[Answered]) -> MatchRecord:
        """Returns the record of a finished match, without a transcript if it has no answers."""
        assert match.outcome is not None
        answers = tuple(answers)
        return MatchRecord(
            number=match.number,
            game=match.game,
            condition=self._conditions[match.entry],
            setting=match.setting_key,
            agents=match.agents,
            counted=match.counted,
            outcome=match.outcome,
            answers=answers,
            experiment=match.experiment,
            seed=match.seed if self._common else None,
            transcript=_transcript(match, answers) if answers else None,
            covariates=self._covariates(match.entry, match.setting),
            place=match.place,
        )


def _transcript(match: StoredMatch, answers: Sequence[Answered]) -> int:
    """The fingerprint of a finished match that its copies share, 63 bits."""
    outcome = match.outcome
    assert outcome is not None
    # Not all facts: what differs in them differs in answers or payoffs too.
    ended = outcome.ending, outcome.payoffs, outcome.roles, outcome.winners
    played = match.game, match.condition, match.setting_key, match.agents
    parts = [_text_of(*played, *ended), *[answer.digest for answer in answers]]
    return int.from_bytes(blake2b(b"".join(parts), digest_size=8).digest()) >> 1


@lru_cache(maxsize=4096)  # a tournament repeats them
def _text_of(*parts: object) -> bytes:
    return repr(parts).encode()
