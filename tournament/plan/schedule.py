"""The schedule: the matches of a tournament, with the agent of every seat."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import chain, combinations, permutations
from math import comb
from typing import NamedTuple

from parlour.games.common.errors import BadInput
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import BUILT_IN, Frozen
from parlour.games.engine.moves import Seat
from parlour.games.engine.table import Table
from parlour.games.engine.wordings import KEY, PLAIN
from parlour.games.families.languages import Spoken
from parlour.tournament.plan.blocks import block_seatings, matches_in_blocks
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.plan.schema import Fork

SEEDS = 65_536
"""Common seeds that are kept while matches are planned."""


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match of the schedule; a save stores it as a StoredMatch, which adds the result.

    ``number`` counts from 1 in canonical order. ``entry`` is the number of its ``[[games]]``
    block, ``setting`` that of its setting there, ``setting_key`` the setting's fingerprint.
    ``experiment`` names the pairing under one condition of one game. ``counted`` are the seats
    that enter capabilities and win rates.
    """

    number: int
    entry: int
    setting: int
    setting_key: str
    game: str
    condition: str
    experiment: str
    agents: tuple[str, ...]
    counted: tuple[Seat, ...]
    seed: int


class PlannedMeeting(NamedTuple):
    """The agents that meet in one experiment of a game entry, in the order of their seats."""

    entry: int
    experiment: str
    agents: tuple[str, ...]


def schedule(tournament: Tournament) -> Iterator[PlannedMatch]:
    """Yields all matches in canonical order: repetition, game, setting, pairing.

    Word games: two matches per setting and unordered pair, with the sides swapped; each agent
    fills its side. With three sides there are six for every three agents. ``challenger``: the
    same, with the defender as the last agent of every pair.
    Three-seat payoff games: three matches per setting and ordered pair, with the first agent in
    each seat once and the other in the remaining seats; the defender is never the first agent.
    Gossip games: one match per setting and unordered pair, in alternating seats, which are swapped
    at the next setting, block of a game and repetition.
    Impostor: experiments in blocks (``blocks.py``). A game with a line-up: one match per setting.

    ``adaptive``: the first round, in which all meet once; decisions add the others.

    Every match has a seed of its own, which depends on who sits where on which setting under which
    condition. With common seeding (common random numbers) the matches of all agents and conditions
    on one setting share a seed, so that ablations are paired (the gossip paper runs all conditions
    on the same seeds); agents that sit alike on a setting again, and further repetitions, get
    another one.
    """
    if tournament.fork is not None:
        yield _forked(tournament, tournament.fork)
        return
    if tournament.schedule == "adaptive":
        yield from round_of_all(tournament, 1, 1)
        return
    number = 0
    keys = list(map(_keys, tournament.games))
    seed = lru_cache(maxsize=SEEDS)(partial(_seed, tournament.seed))
    for repetition in range(tournament.repetitions):
        played: Counter[tuple[str | int | tuple[str, ...], ...]] = Counter()
        for index, entry in enumerate(tournament.games):
            condition, title = entry.condition, entry.title
            parts = entry.settings_of_a_record
            for pairing, agents, counted, setting in _matches(tournament, index, repetition):
                number += 1
                record, part = divmod(setting, parts)
                place = entry.game.name, keys[index][record], part
                again = *place, condition, agents
                whose = () if tournament.seeding == "common" else (condition, *agents)
                shared = *place, *whose, played[again]
                played[again] += 1
                # Of a match that was played by hand, a repetition is another match.
                own = entry.only if repetition == 0 else None
                yield PlannedMatch(
                    number=number,
                    entry=index,
                    setting=setting,
                    setting_key=keys[index][record],
                    game=entry.game.name,
                    condition=condition,
                    experiment=f"{title}: {pairing}",
                    agents=agents,
                    counted=counted,
                    seed=own[1] if own else seed(*shared, repetition),
                )


def meetings(tournament: Tournament) -> Counter[PlannedMeeting]:
    """Number of matches of each meeting in the schedule, counted without drawing seeds."""
    if tournament.fork is not None or tournament.schedule == "adaptive":
        return meetings_of(schedule(tournament))
    count: Counter[PlannedMeeting] = Counter()
    for repetition in range(tournament.repetitions):
        for index, entry in enumerate(tournament.games):
            title = entry.title
            pairings = Counter(
                (pairing, agents)
                for pairing, agents, _counted, _setting in _matches(tournament, index, repetition)
            )
            for (pairing, agents), matches in pairings.items():
                count[PlannedMeeting(index, f"{title}: {pairing}", agents)] += matches
    return count


def meetings_of(matches: Iterable[PlannedMatch]) -> Counter[PlannedMeeting]:
    """Number of matches of each meeting among the given ones."""
    return Counter(PlannedMeeting(match.entry, match.experiment, match.agents) for match in matches)


def planned_pair(pair: Tournament, entry: int, setting: int) -> Iterator[PlannedMatch]:
    """Yields the matches of two agents on one setting, all seatings, without number and seed."""
    block = pair.games[entry]
    for turn in range(2 if block.game.seating.pairing == "shared" else 1):
        for title, agents, counted in _on_setting(pair, block, setting, turn):
            experiment = f"{block.title}: {title}"
            yield _planned(block, entry, setting, experiment, agents, counted)


def _planned(
    block: GameEntry,
    entry: int,
    setting: int,
    experiment: str,
    agents: tuple[str, ...],
    counted: tuple[Seat, ...],
    number: int = 0,
    seed: int = 0,
) -> PlannedMatch:
    """A match on a setting of a block, whose number is ``entry``."""
    key = setting_key(block.record(setting), block.variant)
    played = block.game.name, block.condition
    return PlannedMatch(number, entry, setting, key, *played, experiment, agents, counted, seed)


def _seed(seed: int, *key: str | int) -> int:
    """The seed of a match, from that of its tournament."""
    return Dice(seed, "match seed", *key).below(2**63)


def _forked(tournament: Tournament, fork: Fork) -> PlannedMatch:
    """The one match of a forked tournament."""
    block, counted = tournament.games[0], tuple(map(Seat, fork.counted))
    experiment = f"{block.game.name}: match {fork.match} of {fork.save} from ask {fork.ask} on"
    return _planned(block, 0, fork.setting, experiment, fork.agents, counted, 1, fork.seed)


def match_count(tournament: Tournament) -> int:
    """Number of matches that ``schedule`` yields, computed without listing them."""
    if tournament.fork is not None:
        return 1
    if tournament.schedule == "adaptive":
        return len(round_of_all(tournament, 1, 1))
    defended = tournament.defender is not None
    free = len(tournament.agents) - defended
    count = 0
    for entry in tournament.games:
        if entry.lineup:
            count += len(entry.played_settings)
        elif entry.game.seating.pairing == "blocks":
            count += matches_in_blocks(tournament, entry)
        else:
            game = entry.game
            for setting in entry.settings():
                groups = comb(free, game.agents(setting) - defended)
                count += groups * game.matches_of_a_group(setting, defended)
    return tournament.repetitions * count


def _matches(
    tournament: Tournament, index: int, repetition: int
) -> Iterator[tuple[str, tuple[str, ...], tuple[Seat, ...], int]]:
    """Yields pairing, agents by seat, counted seats and number of the setting of each match."""
    entry = tournament.games[index]
    if entry.game.seating.pairing == "blocks" and entry.lineup is None:
        defender = frozenset([tournament.defender])
        for title, agents, number in block_seatings(tournament, entry, repetition):
            yield title, agents, _counted(agents, defender), number
        return
    place = _place(tournament, index)
    for number in entry.played_settings:
        turn = place + number + repetition
        for title, agents, counted in _on_setting(tournament, entry, number, turn):
            yield title, agents, counted, number


def _place(tournament: Tournament, index: int) -> int:
    """The place of a block by which seats are exchanged: in all wordings that of the plain one."""
    entry = tournament.games[index]
    if getattr(entry.variant, KEY, PLAIN) == PLAIN:
        return index
    plain = replace(entry, variant=entry.variant.model_copy(update={KEY: PLAIN}))
    return tournament.games.index(plain) if plain in tournament.games else index


def _on_setting(
    tournament: Tournament, entry: GameEntry, number: int, turn: int
) -> Iterator[tuple[str, tuple[str, ...], tuple[Seat, ...]]]:
    """Yields pairing, agents by seat and counted seats of the matches on one setting.

    Where a pair has one match, the next ``turn`` exchanges its seats.
    """
    left_out = frozenset({BUILT_IN, *([tournament.defender] if entry.lineup is None else [])})
    setting = entry.setting(number)
    for title, seated in _seatings(tournament, entry, setting, turn):
        agents = seated + (BUILT_IN,) * entry.game.seating.built_in(setting)
        yield title, agents, _counted(agents, left_out)


@lru_cache(maxsize=4096)  # a tournament repeats its seatings
def _counted(agents: tuple[str, ...], left_out: frozenset[str | None]) -> tuple[Seat, ...]:
    return tuple(Seat(seat) for seat, agent in enumerate(agents) if agent not in left_out)


def _seatings(
    tournament: Tournament, entry: GameEntry, setting: Frozen, turn: int
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields each pairing's title with the agents of the seats that agents fill."""
    if entry.lineup is not None:
        shares = Counter(entry.lineup).items()
        yield " + ".join(f"{n} × {name}" if n > 1 else name for name, n in shares), entry.lineup
        return
    names = [agent.name for agent in tournament.agents]
    defender = tournament.defender
    always = () if defender is None else (defender,)
    sides = entry.game.sides(setting)
    free = (name for name in names if name != defender)
    for others in combinations(free, entry.game.agents(setting) - len(always)):
        pair = (*others, *always)
        title = " vs ".join(pair)
        if entry.game.seating.pairing == "shared":
            # By the sum of both places in the file, each agent begins, and has the odd seat, in
            # half of its pairs.
            seats = range(len(sides) - entry.game.seating.built_in(setting))
            places = 0 if always else sum(map(names.index, pair)) + 1
            yield title, tuple(pair[(seat + places + turn) % 2] for seat in seats)
        elif entry.game.seating.pairing == "each_seat":
            for challenger, other in (pair, pair[::-1])[: 2 if defender is None else 1]:
                for own in range(len(sides)):
                    yield title, tuple(challenger if s == own else other for s in range(len(sides)))
        else:
            for roles in permutations(role for role in entry.game.scoring.roles if role in sides):
                filled = dict(zip(roles, pair, strict=True))
                yield title, tuple(filled[side] for side in sides)


def _keys(entry: GameEntry) -> list[str]:
    """The key of each record."""
    return [setting_key(record, entry.variant) for record in entry.records]


def setting_key(record: Frozen, variant: Frozen | None = None) -> str:
    """Fingerprint of a setting's content; matches with the same key form a cluster in ratings.

    Under a variant of another language a pair of words that ships has the key that it has in
    English, so that a language is compared with another pair by pair.
    """
    if isinstance(variant, Spoken):
        record = variant.in_english(record)
    text = json.dumps(record.model_dump(mode="json"), sort_keys=True)
    return blake2b(text.encode(), digest_size=4).hexdigest()


class MatchLength(NamedTuple):
    """Answers and rounds of a match, from one random match: exact where the length is fixed."""

    answers: int
    rounds: int


def match_lengths(tournament: Tournament) -> list[MatchLength]:
    """The length of a match by game entry."""
    known: dict[tuple[str, str], MatchLength] = {}  # line-ups change nothing: played once
    lengths = []
    for entry in tournament.games:
        key = entry.game.name, entry.setting(0).model_dump_json()
        if key not in known:
            known[key] = _length_of_a_match(entry)
        lengths.append(known[key])
    return lengths


def answers_per_match(tournament: Tournament) -> list[int]:
    """Answers of a match by game entry."""
    return [length.answers for length in match_lengths(tournament)]


def _length_of_a_match(entry: GameEntry) -> MatchLength:
    setting = entry.setting(0)
    table = Table(entry.game, setting, entry.game.seats(setting), seed=0)
    answers = rounds = 0
    while table.pending is not None:
        ask, dice = table.pending, Dice("plan", table.ask_number)
        answers, rounds = answers + len(ask.seats), max(rounds, ask.round)
        table.answer({seat: ask.sample(seat, dice) for seat in ask.seats})
    return MatchLength(answers, rounds)


Bout = tuple[int, int]
"""The places of two agents in the tournament, the lower one first."""


def round_of_all(tournament: Tournament, decision: int, number: int) -> list[PlannedMatch]:
    """The matches of a decision of one round in which all meet once, from ``number`` on."""
    everybody = list(combinations(range(len(tournament.agents)), 2))
    return list(chain.from_iterable(matches_of_bouts(tournament, decision, everybody, 1, number)))


def matches_of_bouts(
    tournament: Tournament, decision: int, bouts: Sequence[Bout], rounds: int, number: int
) -> Iterator[list[PlannedMatch]]:
    """Yields the matches of each bout of a decision, round by round, from ``number`` on."""
    for index, pair in enumerate([*bouts] * rounds):
        dice = Dice(tournament.seed, "bout", decision, index)
        entry = dice.below(len(tournament.games))
        setting = dice.below(tournament.games[entry].setting_count)
        agents = tuple(tournament.agents[place] for place in pair)
        matches = list(planned_pair(replace(tournament, agents=agents), entry, setting))
        seeds = [dice.below(2**63) for _ in matches]
        if tournament.seeding == "common":
            seeds = seeds[:1] * len(matches)
        yield [
            replace(match, number=number + place, seed=own)
            for place, (match, own) in enumerate(zip(matches, seeds, strict=True))
        ]
        number += len(matches)


def refuse_unpaired(tournament: Tournament, place: str) -> None:
    """BadInput for what the adaptive schedule cannot play, and for its keys in another schedule."""
    if tournament.schedule != "adaptive":
        if tournament.most_matches is not None:
            fix = 'set schedule = "adaptive", or write repetitions'
            problem = f"is not a key of the schedule {tournament.schedule!r}"
            raise BadInput(f"{place}: matches", problem, fix)
        return
    if tournament.most_matches is None:
        fix = "write matches = 2000, or what you can afford"
        raise BadInput(f"{place}: matches", "is missing for the adaptive schedule", fix)
    if tournament.repetitions != 1:
        fix = "leave it out; matches is the most that are played"
        raise BadInput(f"{place}: repetitions", "is not used by the adaptive schedule", fix)
    for index, entry in enumerate(tournament.games):
        refuse_unpaired_game(entry, f"{place}: games[{index}]")
    least = match_count(tournament)
    if tournament.most_matches < least:
        problem = f"{tournament.most_matches} are too few: each two agents meet first"
        raise BadInput(f"{place}: matches", problem, f"at least {least}")


def refuse_unpaired_game(entry: GameEntry, place: str) -> None:
    """BadInput for a game that has no bouts of two agents."""
    if problem := _unpaired(entry):
        raise BadInput(place, problem, "play it in a round robin")


def _unpaired(entry: GameEntry) -> str:
    """Why a game has no bouts of two agents; "" if it has."""
    name = entry.game.name
    if entry.lineup is not None:
        return f"{name} has a line-up, and the adaptive schedule pairs agents itself"
    if entry.game.seating.pairing == "blocks":
        return f"{name} is scheduled in blocks, which the adaptive schedule does not have"
    if entry.game.scoring.rated == "none":
        return f"{name} ranks nobody"
    if (agents := entry.game.agents(entry.setting(0))) > 2:
        return f"{name} has {agents} sides here, and the adaptive schedule pairs agents"
    return ""


def refuse_rule(tournament: Tournament, until: str | None, place: str = "--until") -> None:
    """BadInput for a rule for the end that cannot be read, or of a schedule that is fixed."""
    if until is None:
        return
    if tournament.schedule != "adaptive":
        fix = 'leave it out, or set schedule = "adaptive"'
        problem = f"is not used by the schedule {tournament.schedule!r}"
        raise BadInput(place, problem, fix)
    from parlour.ratings.adaptive.until import until_of  # light commands load no ratings

    rule, agents = until_of(until, place), len(tournament.agents)
    if rule.ranks is not None and rule.ranks > agents:
        problem = f"{until!r} is beyond the {agents} agents"
        raise BadInput(place, problem, "write rank for all of them")
