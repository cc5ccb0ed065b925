"""Matches that are played by hand: shown and answered question by question, copied and saved."""

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from parlour.agents.code_blocks import PythonConfig
from parlour.agents.registry import AgentConfig
from parlour.api.matches import Match, Player
from parlour.api.playing import run
from parlour.api.results import Results
from parlour.games.common.errors import BadInput
from parlour.games.engine.game import Frozen
from parlour.games.engine.moves import player
from parlour.games.engine.prompts import Prompt, render
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import IllegalAnswer, NotAsked, Table
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.plan.validation import checked
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.rows import StoredAnswer


@dataclass(frozen=True, slots=True)
class Pending:
    """The open question: its kind, and the players who still have to answer.

    ``schema`` is the JSON schema of the answer, by player.
    """

    kind: str
    round: int
    players: tuple[str, ...]
    schema: dict[str, dict[str, Any]]


class HandTable(Match):
    """A match that is played by hand: it shows what is asked and takes the answers.

    Its copies are tables of their own (``copy``, ``deepcopy``, ``pickle``), given the same answers.
    """

    def __init__(self, entry: GameEntry, number: int, setting: Frozen, seed: int) -> None:
        """``number`` is that of the setting in the entry of a tournament."""
        super().__init__(Table(entry.game, setting, entry.game.seats(setting), seed))
        self.entry, self.number = entry, number

    def __copy__(self) -> Self:
        made = object.__new__(type(self))
        made.__dict__ |= self.__dict__ | {"table": copy(self.table)}
        return made

    def __deepcopy__(self, _memo: object) -> Self:
        return copy(self)

    @property
    def pending(self) -> Pending | None:
        """The question on the table; None once the match is over."""
        ask = self.table.pending
        if ask is None:
            return None
        schemas = {player(seat): ask.schema(seat) for seat in self.table.waiting}
        return Pending(ask.kind, ask.round, tuple(schemas), schemas)

    def prompt(self, seat: Player) -> str:
        """The prompt that a language model in that seat would get: rules, view and question."""
        prompt = self.prompts(seat)[player(self.seat_of(seat))]
        return f"{prompt.system}\n\n{prompt.question}"

    def prompts(self, *seats: Player) -> dict[str, Prompt]:
        """The prompts of these players (none named: of all who are asked), each in two parts."""
        asked, table = self.table.pending, self.table
        by_seat: dict[str, Prompt] = {}
        for who in map(self.seat_of, seats) if seats else table.waiting:
            if asked is None or who not in table.waiting:
                raise BadInput(player(who), "is not asked now", self._waits_for())
            by_seat[player(who)] = render(table.game, table.view(who), asked.kind)
        return by_seat

    def answer(self, answers: Mapping[Player, object]) -> None:
        """Takes answers by player, as plain data; the match continues when all have answered.

        BadInput for an answer that is refused, or that was not asked for; nothing changes then.
        """
        if not isinstance(answers, Mapping):
            problem = f"is a {type(answers).__name__}, not a dict"
            raise BadInput("answer", problem, 'give {"Player 1": ...}')
        by_seat = {self.seat_of(who): value for who, value in answers.items()}
        try:
            self.table.answer(by_seat)
        except NotAsked:
            wrong = next(seat for seat in by_seat if seat not in self.table.waiting)
            raise BadInput(player(wrong), "is not asked now", self._waits_for()) from None
        except IllegalAnswer as refusal:
            place, _, problem = str(refusal).partition(": ")  # "Player 3, vote: ..."
            fix = "`pending.schema` has the form of the answer"
            raise BadInput(place.partition(",")[0], problem, fix) from None

    def save(self, path: str | Path, agents: Sequence[AgentConfig] = ()) -> Results:
        """Stores the match as the save of a tournament that has it alone; returns its results.

        ``agents`` are the blocks of the agents by seat; without them each player is an agent of
        its own, of kind "python". ``parlour.run`` plays on what is not over. Raises BadSave if
        the file exists.
        """
        seed = self.table.seed
        if not 0 <= seed < 2**63:
            raise BadInput("seed", f"{seed} cannot be stored", "give one from 0 to 2^63 - 1")
        seats = self.players[: self.entry.agent_seats]
        cast = agents or list(map(by_hand, seats))
        names = tuple(agent.name for agent in cast)
        entry = replace(self.entry, lineup=names, only=(self.number, seed))
        by_name = {agent.name: agent for agent in cast}
        game, everybody = self.game, tuple(by_name.values())
        tournament = Tournament(f"{game} by hand", 0, "round_robin", None, 1, (entry,), everybody)
        create_save(Path(path), tournament, answers=list(_stored(self.table)))
        if self.table.pending is None:
            absent = [name for name, agent in by_name.items() if isinstance(agent, PythonConfig)]
            run(tournament, path, agents=dict.fromkeys(absent, _absent))
        return Results(Path(path))

    def _waits_for(self) -> str:
        waiting = " and ".join(player(seat) for seat in self.table.waiting)
        return f"the match waits for {waiting}" if waiting else "the match is over"


def table(
    game: str, setting: int | Mapping[str, Any] = 0, seed: int = 0, **variant: object
) -> HandTable:
    """A match of a game to play by hand.

    ``setting`` is the number of a shipped setting, from 0, or its fields. ``variant`` are the keys
    that a tournament file may set for the game. BadInput for an unknown game, key or setting.
    """
    entry = entry_of(game, variant, setting if isinstance(setting, Mapping) else None)
    number = 0 if isinstance(setting, Mapping) else checked_number(entry, setting)
    return HandTable(entry, number, entry.setting(number), seed)


def by_hand(name: str) -> PythonConfig:
    """The block of an agent that is played from outside."""
    return PythonConfig(name=name, kind="python")


def entry_of(
    game: str, variant: Mapping[str, object], record: Mapping[str, Any] | None = None
) -> GameEntry:
    """A game with the settings that ship, or with one ``record``. BadInput as of ``table``."""
    rules, place = find_game(game, "table"), f"table({game!r})"
    keys = checked(rules.variant, variant, place)
    if record is not None:
        own = checked(rules.record, record, f"{place}, setting")
        return GameEntry(rules, keys, (own,))
    return GameEntry(rules, keys, rules.settings_file.select_records(rules.shipped(), keys))


def checked_number(entry: GameEntry, number: int) -> int:
    """The number of a setting. BadInput if the game has no such setting."""
    if not 0 <= number < entry.setting_count:
        fix = f"{entry.game.name} has settings 0 to {entry.setting_count - 1}"
        place = f"table({entry.game.name!r}), setting"
        raise BadInput(place, f"there is no setting {number}", fix)
    return number


def _stored(table: Table) -> Iterator[StoredAnswer]:
    """Yields the answers of a table as rows, with the digests of a replay."""
    again = Table(table.game, table.setting, len(table.seats), table.seed)
    for each in table.given():
        ask, digest, (seat, record, fault) = again.pending, again.digest(), each
        assert ask is not None
        value, place = json.dumps(record), (again.ask_number, seat, ask.kind, ask.round)
        yield StoredAnswer(1, *place, value, fault, 1, None, digest)
        again.take_again(each)


def _absent(question: object) -> None:
    """The player of a match that is over, who is never asked."""
