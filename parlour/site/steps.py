"""A match step by step: the talk that each step adds, and the boards after it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, zip_longest

from parlour.games.engine.board import Board, Ring
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome
from parlour.games.engine.table import Table
from parlour.games.engine.talk import (
    Action,
    Approvals,
    Ballot,
    Chosen,
    FaultLine,
    Heading,
    Note,
    Said,
    TalkItem,
    Vote,
)
from parlour.games.engine.transcript import sentence, transcript
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.replay import feed, new_table
from parlour.tournament.save.rows import StoredAnswer, StoredMatch

MOST_STEPS = 60
"""The most steps of a match: in a longer one, several answers are one step."""
FEW_STEPS, ALIKE = 12, 3
"""Steps of a match up to which none are folded, and the fewest rounds of a fold."""


@dataclass(frozen=True, slots=True)
class ToldStep:
    """The items that a step adds to the talk, the votes that it casts, and the boards after it."""

    items: tuple[TalkItem, ...]
    votes: tuple[Vote, ...]
    boards: tuple[Board, ...]

    @property
    def bad(self) -> bool:
        """True for a fault, a refusal or an untrue word."""
        return any(
            isinstance(item, FaultLine)
            or (isinstance(item, Action) and item.sign == "-")
            or (isinstance(item, Said) and item.true is False)
            for item in self.items
        )


@dataclass(frozen=True, slots=True)
class _State:
    items: tuple[TalkItem, ...]
    boards: tuple[Board, ...]


def steps_of(
    tournament: Tournament, match: StoredMatch, answers: Sequence[StoredAnswer]
) -> tuple[Table, list[ToldStep]]:
    """The table of a match after its answers, and its steps. Raises Diverged."""
    table = new_table(tournament, match)
    states = [_state(table, table.so_far, None)]
    every = -(-len(answers) // MOST_STEPS)
    for number, answer in enumerate(answers, start=1):
        feed(table, answer)
        if number % every == 0 or number == len(answers):
            states.append(_state(table, table.so_far, None))
    if table.outcome is not None:
        states.append(_state(table, table.so_far, table.outcome))
    return table, _parted(states)


def folded(steps: Sequence[ToldStep]) -> Iterator[tuple[str, list[ToldStep]]]:
    """Yields the steps in parts, each with its words: "" or what all rounds of it are alike in."""
    rounds = list[list[ToldStep]]()
    for step in steps:
        if not rounds or _headings([step]):
            rounds.append([])
        rounds[-1].append(step)
    for words, group in groupby(rounds, _alike):
        several = list(group)
        part = list(chain.from_iterable(several))
        if words and len(several) >= ALIKE and len(steps) > FEW_STEPS:
            heads = [head.words.removeprefix("round ") for head in _headings(part)]
            yield f"Rounds {heads[0]} to {heads[-1]}, all alike: {words}", part
        else:
            yield "", part


def _headings(steps: Sequence[ToldStep]) -> list[Heading]:
    items = chain.from_iterable(step.items for step in steps)
    return [item for item in items if isinstance(item, Heading)]


def _alike(round: Sequence[ToldStep]) -> str:
    """The only action and tone of a round, "" where it has more, or anything else to tell."""
    items = list(chain.from_iterable(step.items for step in round))
    acts = {item.words for item in items if isinstance(item, Action)}
    tones = {item.label for item in items if isinstance(item, Said)}
    plain = all(isinstance(item, Heading | Action | Said) for item in items)
    if not plain or len(acts) != 1 or len(tones) > 1 or any(step.bad for step in round):
        return ""
    return ", ".join([*acts, *tones]) if "" not in tones else ""


def _state(table: Table, events: Sequence[Event], outcome: Outcome | None) -> _State:
    game = table.game
    items: tuple[TalkItem, ...] = ()
    boards: tuple[Board, ...] = ()
    try:  # a game of another package can raise anything
        items = game.talk(table.seats, events, outcome)
        boards = game.board(table.seats, events, outcome)
    except Exception:
        pass
    if not items:
        items = tuple(Note(sentence(game, event)) for event in transcript(game, events))
    if outcome is None:  # a board tells roles at the end alone
        boards = tuple(
            replace(board, notes={}) if isinstance(board, Ring) else board for board in boards
        )
    return _State(items, boards)


def _parted(states: Sequence[_State]) -> list[ToldStep]:
    """The steps between states: an item belongs to the first one that has it as it ends.

    A state that adds nothing which others learn of is no step.
    """
    begin, steps = 0, list[ToldStep]()
    whole = states[-1].items
    for index, state in enumerate(states):
        end = begin
        last = index == len(states) - 1
        while end < len(whole) and (
            last or (end < len(state.items) and _settled(state.items[end], whole[end]))
        ):
            end += 1
        while not last and end > begin and isinstance(whole[end - 1], Heading):
            end -= 1  # a round begins with the first step in it
        own = tuple(item for item in whole[begin:end] if not isinstance(item, Chosen))
        votes = tuple(_new_votes(states[index - 1], state)) if index else ()
        if own or votes:
            steps.append(ToldStep(own, votes, state.boards))
        begin = end
    return steps


def _settled(item: TalkItem, at_the_end: TalkItem) -> bool:
    """True if an item is as it ends; of headings and notes the words may still change."""
    if isinstance(at_the_end, Heading | Note):
        return type(item) is type(at_the_end)
    return item == at_the_end


def _new_votes(before: _State, after: _State) -> Iterator[Vote]:
    """Yields the votes that the state before has not: a vote may be the same in every round."""
    for earlier, votes in zip_longest(_ballots(before), _ballots(after), fillvalue=()):
        yield from (vote for vote in votes if vote not in earlier)


def _ballots(state: _State) -> list[tuple[Vote, ...]]:
    return [item.votes for item in state.items if isinstance(item, Ballot | Approvals)]
