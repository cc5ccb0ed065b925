"""The schedule: number of matches, seating, counted seats and seeds."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, combinations, permutations, product
from pathlib import Path

import pytest

from parlour.games.engine.game import BUILT_IN
from parlour.tournament.plan.blocks import unbalanced
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.plan.schedule import (
    PlannedMatch,
    match_count,
    meetings,
    meetings_of,
    schedule,
)
from tests.tournaments import tournament

GAME = '[[games]]\nname = "undercover"\nlimit = 5\n'
DONATION = '[[games]]\nname = "donation"\nagents_per_match = 5\n'
COMMON = 'seeding = "common"'
NAMES = ("Ada", "Rob", "Lin", "Bea")
AGENTS = "".join(f'[[agents]]\nname = "{name}"\nstrategy = "random"\n' for name in NAMES)


def planned(folder: Path, top: str = "", games: str = GAME) -> list[PlannedMatch]:
    return list(schedule(tournament(folder, f'name = "x"\n{top}\n{games}\n{AGENTS}')))


def test_a_round_robin_plays_each_setting_twice_for_each_pair_and_repetition(
    tmp_path: Path,
) -> None:
    # 5 settings, 6 pairs of 4 agents, 2 sides, 3 repetitions: 5 * 6 * 2 * 3 = 180.
    matches = planned(tmp_path, "repetitions = 3")
    assert len(matches) == 180
    pairs = Counter(frozenset(match.agents) for match in matches)
    assert pairs == {frozenset(pair): 30 for pair in combinations(NAMES, 2)}


def test_a_challenger_schedule_plays_everybody_against_the_defender_only(tmp_path: Path) -> None:
    # 5 settings, 3 challengers, 2 sides, 2 repetitions: 5 * 3 * 2 * 2 = 60.
    matches = planned(tmp_path, 'schedule = "challenger"\ndefender = "Lin"\nrepetitions = 2')
    assert len(matches) == 60
    pairs = Counter(frozenset(match.agents) for match in matches)
    assert pairs == {frozenset({name, "Lin"}): 20 for name in ("Ada", "Rob", "Bea")}


@pytest.mark.parametrize(
    "top", ["", "repetitions = 3", 'schedule = "challenger"\ndefender = "Lin"\nrepetitions = 2']
)
def test_match_count_equals_the_length_of_the_schedule(top: str, tmp_path: Path) -> None:
    games = f'{GAME}{GAME}lineup = ["Ada", "Rob", "Ada"]\n'
    games += "".join(f'[[games]]\nname = "{name}"\n' for name in ("donation", "public_good"))
    read = tournament(tmp_path, f'name = "x"\n{top}\n{games}\n{AGENTS}')
    assert match_count(read) == len(list(schedule(read)))


def test_with_a_defender_only_the_challengers_seats_count(tmp_path: Path) -> None:
    for match in planned(tmp_path, 'schedule = "challenger"\ndefender = "Lin"'):
        assert match.counted == tuple(s for s in range(3) if match.agents[s] != "Lin")
        assert match.counted


def test_without_a_defender_every_seat_counts(tmp_path: Path) -> None:
    assert {match.counted for match in planned(tmp_path)} == {(0, 1, 2)}


def test_each_agent_fills_its_side_and_the_sides_are_swapped(tmp_path: Path) -> None:
    # The undercover sits in seat 1 in the first shipped setting and in seat 0 in the second.
    first = [match.agents for match in planned(tmp_path) if match.setting == 0]
    assert first[:2] == [("Rob", "Ada", "Rob"), ("Ada", "Rob", "Ada")]
    second = [match.agents for match in planned(tmp_path) if match.setting == 1]
    assert second[:2] == [("Ada", "Rob", "Rob"), ("Rob", "Ada", "Ada")]


@pytest.mark.parametrize(
    ("keys", "seats"),
    [
        # 3 opponents on 5 settings: undercover once, civilian twice in each.
        ("", {"undercover": 15, "civilian": 30}),
        # 3 pairs of opponents in 2 orders on 5 settings.
        ("players = 5\njester = true\n", {"undercover": 30, "civilian": 90, "jester": 30}),
    ],
)
def test_every_agent_holds_every_role_equally_often(
    tmp_path: Path, keys: str, seats: Mapping[str, int]
) -> None:
    read = tournament(tmp_path, f'name = "x"\n{GAME}{keys}\n{AGENTS}')
    roles: Counter[tuple[str, str]] = Counter()
    matches = list(schedule(read))
    assert len(matches) == match_count(read)
    for match in matches:
        entry = read.games[match.entry]
        sides = entry.game.sides(entry.settings()[match.setting])
        by_side = set(zip(sides, match.agents, strict=True))
        assert len(by_side) == len({*match.agents}) == len(seats)  # an agent a side
        roles.update(zip(match.agents, sides, strict=True))
    assert roles == {(name, role): seats[role] for name, role in product(NAMES, seats)}


def test_a_line_up_plays_one_match_a_setting_and_all_its_seats_count(tmp_path: Path) -> None:
    games = GAME + 'lineup = ["Ada", "Ada", "Bea"]\n'
    for top in ("", 'schedule = "challenger"\ndefender = "Ada"'):
        matches = planned(tmp_path, top, games)
        assert [match.agents for match in matches] == [("Ada", "Ada", "Bea")] * 5
        assert [match.setting for match in matches] == [0, 1, 2, 3, 4]
        assert {match.counted for match in matches} == {(0, 1, 2)}


def test_matches_are_numbered_from_one_by_repetition_game_setting_and_pair(tmp_path: Path) -> None:
    games = GAME.replace("5", "2") + GAME.replace("5", "1") + "clue_rounds = 1\n"
    matches = planned(tmp_path, "repetitions = 2", games)
    assert [match.number for match in matches] == list(range(1, 73))
    # (2 settings + 1 setting) * 12 matches, twice.
    places = [(match.entry, match.setting) for match in matches]
    assert places == ([(0, 0)] * 12 + [(0, 1)] * 12 + [(1, 0)] * 12) * 2
    one_setting = [match.experiment for match in matches[:12:2]]
    assert one_setting == [f"undercover: {a} vs {b}" for a, b in combinations(NAMES, 2)]


def test_an_experiment_is_a_pairing_under_one_condition(tmp_path: Path) -> None:
    games = GAME + GAME + 'probes = "off"\n'
    named = {match.experiment for match in planned(tmp_path, "repetitions = 2", games)}
    pairs = [f"{a} vs {b}" for a, b in combinations(NAMES, 2)]
    shown = product(("", " (probes=off)"), pairs)
    assert named == {f"undercover{condition}: {pair}" for condition, pair in shown}


@pytest.mark.parametrize(
    ("seed", "first"),
    # Written down once: a change here would give every existing save other matches.
    [
        (0, [2072186282493195469, 2033170526103426150, 5587727346205470980]),
        (7, [7285129746990150760, 5371246691109560400, 4081667682534362800]),
    ],
)
def test_the_seeds_of_settings_stay_as_they_are(
    tmp_path: Path, seed: int, first: list[int]
) -> None:
    seeds = [match.seed for match in planned(tmp_path, f"seed = {seed}\n{COMMON}")]
    assert [*dict.fromkeys(seeds)][:3] == first


def test_every_match_has_a_seed_of_its_own(tmp_path: Path) -> None:
    games = f'{GAME}{GAME}{GAME}probes = "off"\n[[games]]\nname = "public_good"\n{DONATION}'
    matches = planned(tmp_path, "repetitions = 3", games)
    assert len({match.seed for match in matches}) == len(matches) > 500
    assert all(0 <= match.seed < 2**63 for match in matches)


def test_the_matches_of_all_agents_on_a_setting_share_a_seed_of_their_own(tmp_path: Path) -> None:
    # 4 repetitions of 5 settings, each played 12 times: 6 pairs, either side.
    seeds: dict[tuple[int, int, int], set[int]] = defaultdict(set)
    for seed in range(5):
        for match in planned(tmp_path, f"seed={seed}\nrepetitions=4\n{COMMON}"):
            repetition = (match.number - 1) // 60
            seeds[seed, repetition, match.setting].add(match.seed)
    assert {len(shared) for shared in seeds.values()} == {1}
    different = set.union(*seeds.values())
    assert len(different) == len(seeds) == 5 * 4 * 5
    assert all(0 <= seed < 2**63 for seed in different)


def test_conditions_and_line_ups_share_the_seeds_of_settings(tmp_path: Path) -> None:
    games = f'{GAME}{GAME}probes = "off"\n{GAME}clue_rounds = 1\nlineup = "alone"\n'
    by_entry: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for match in planned(tmp_path, f"repetitions = 2\n{COMMON}", games):
        by_entry[match.entry].add((match.setting, match.seed))
    assert set(by_entry) == set(range(2 + len(NAMES)))
    assert all(shared == by_entry[0] for shared in by_entry.values())
    assert len(by_entry[0]) == 5 * 2


def test_agents_that_sit_alike_on_a_setting_again_get_another_seed(tmp_path: Path) -> None:
    # The second block repeats the first; in the third the settings are others.
    games = f'{GAME}{GAME}[[games]]\nname = "chameleon"\nlimit = 5\n'
    matches = planned(tmp_path, COMMON, games)
    by_entry: dict[int, set[int]] = defaultdict(set)
    for match in matches:
        by_entry[match.entry].add(match.seed)
    first, second, third = by_entry.values()
    assert len(first) == len(second) == len(third) == 5
    assert len(first | second | third) == 15


def test_a_pair_plays_a_dilemma_with_the_same_seed_from_every_seat(tmp_path: Path) -> None:
    games = '[[games]]\nname = "public_good"\n'
    seeds: dict[int, set[int]] = defaultdict(set)
    for match in planned(tmp_path, COMMON, games):
        seeds[match.setting].add(match.seed)
    assert [len(shared) for shared in seeds.values()] == [1] * 7


def test_a_shared_game_has_one_match_a_pair_with_the_seats_in_turn(tmp_path: Path) -> None:
    # 6 pairs of 4 agents, 1 setting, 2 repetitions: 12 matches.
    matches = planned(tmp_path, "repetitions = 2", DONATION)
    assert len(matches) == 12
    assert matches[0].agents == ("Ada", "Rob", "Ada", "Rob", "Ada")
    # The same pair in the next repetition, swapped: the odd seat goes to the other.
    assert matches[6].agents == ("Rob", "Ada", "Rob", "Ada", "Rob")
    seats = Counter(chain.from_iterable(match.agents for match in matches))
    # 3 pairs each, 3 + 2 seats in the two repetitions.
    assert seats == dict.fromkeys(NAMES, 15)
    assert {match.counted for match in matches} == {(0, 1, 2, 3, 4)}


@pytest.mark.parametrize("agents", range(2, 8))
@pytest.mark.parametrize("repetitions", [1, 2, 3])
@pytest.mark.parametrize("players", [3, 4, 5])
def test_agents_share_the_seats_of_gossip_games_evenly_or_the_plan_says_so(
    agents: int, repetitions: int, players: int, tmp_path: Path
) -> None:
    games = "".join(
        f'[[games]]\nname = "{name}"\nagents_per_match = {players}\n'
        for name in ("donation", "reciprocity", "investment")
    )
    who = "".join(f'[[agents]]\nname = "{n}"\nstrategy = "random"\n' for n in "ABCDEFG"[:agents])
    read = tournament(tmp_path, f'name = "x"\nrepetitions = {repetitions}\n{games}{who}')
    seats: dict[int, Counter[str]] = defaultdict(Counter)
    first: dict[int, Counter[str]] = defaultdict(Counter)
    for match in schedule(read):
        seats[match.entry].update(match.agents)
        first[match.entry][match.agents[0]] += 1
    for held in seats.values():
        assert max(held.values()) - min(held.values()) <= 1
    uneven = [index for index, held in seats.items() if len(set(held.values())) > 1]
    said = unbalanced(read)
    assert [sentence.partition(",")[0] for sentence in said] == [f"games[{n}]" for n in uneven]
    if repetitions % 2 == 0:
        assert not said
        assert all(set(held.values()) == {agents - 1} for held in first.values())


@pytest.mark.parametrize(("matches", "said"), [(8, ""), (6, "matches = 8")])
def test_the_plan_says_which_blocks_are_not_whole(matches: int, said: str, tmp_path: Path) -> None:
    games = f'[[games]]\nname = "impostor"\nmatches = {matches}\n'
    problems = unbalanced(tournament(tmp_path, f'name = "x"\n{games}{AGENTS}'))
    assert bool(problems) == bool(said)
    assert all(said in problem for problem in problems)


def test_greedy_seats_come_last_have_no_agent_and_do_not_count(tmp_path: Path) -> None:
    for match in planned(tmp_path, games=DONATION + "greedy_seats = 2\n"):
        assert match.agents[3:] == (BUILT_IN, BUILT_IN)
        assert len(set(match.agents[:3])) == 2
        assert match.counted == (0, 1, 2)


def test_a_line_up_fills_the_seats_that_are_not_greedy(tmp_path: Path) -> None:
    lineup = 'greedy_seats = 1\nlineup = ["Ada", "Ada", "Rob", "Rob"]\n'
    (match,) = planned(tmp_path, games=DONATION + lineup)
    assert match.agents == ("Ada", "Ada", "Rob", "Rob", BUILT_IN)
    assert match.counted == (0, 1, 2, 3)


def test_in_a_shared_game_with_a_defender_only_the_challengers_seats_count(tmp_path: Path) -> None:
    top = 'schedule = "challenger"\ndefender = "Lin"'
    matches = planned(tmp_path, top, DONATION + "greedy_seats = 1\n")
    assert len(matches) == 3
    for match in matches:
        assert match.counted == tuple(s for s in range(4) if match.agents[s] != "Lin")
        assert len(match.counted) == 2


MAGIC = ("chameleon", "undercover", "cost_sharing", "prisoners_dilemma", "public_good")
FIVE = "".join(f'[[games]]\nname = "{name}"\n' for name in MAGIC)


def test_every_challenger_plays_the_143_matches_of_the_magic_evaluation(tmp_path: Path) -> None:
    text = f'name = "x"\nschedule = "challenger"\ndefender = "Lin"\n{FIVE}'
    read = tournament(tmp_path, text + AGENTS)
    played: Counter[tuple[str, str]] = Counter()
    roles: Counter[tuple[str, str, str]] = Counter()
    seats: Counter[tuple[str, str, int]] = Counter()
    for match in schedule(read):
        entry = read.games[match.entry]
        (challenger,) = set(match.agents) - {"Lin"}
        played[challenger, entry.game.name] += 1
        assert match.counted == tuple(s for s in range(3) if match.agents[s] == challenger)
        if entry.game.seating.pairing == "each_seat":
            (seat,) = match.counted  # alone against the defender, never the other way round
            seats[challenger, entry.game.name, seat] += 1
        else:
            sides = entry.game.sides(entry.settings()[match.setting])
            (role,) = {sides[seat] for seat in match.counted}
            roles[challenger, entry.game.name, role] += 1
    # 20 settings from either side; 7 triples, scorings and multipliers in each of 3 seats.
    counts = dict(zip(MAGIC, (40, 40, 21, 21, 21), strict=True))
    challengers = ("Ada", "Rob", "Bea")
    planned_counts = product(challengers, counts.items())
    assert played == {(name, game): count for name, (game, count) in planned_counts}
    assert sum(played.values()) == 3 * 143
    word_roles = [("chameleon", "chameleon"), ("chameleon", "non_chameleon")]
    word_roles += [("undercover", "undercover"), ("undercover", "civilian")]
    assert roles == {(name, *each): 20 for name, each in product(challengers, word_roles)}
    assert seats == dict.fromkeys(product(challengers, MAGIC[2:], range(3)), 7)


@pytest.mark.parametrize("game", MAGIC[2:])
def test_in_a_round_robin_of_payoffs_each_sits_once_in_each_seat_against_each(
    tmp_path: Path, game: str
) -> None:
    # 1 setting, 12 ordered pairs of 4 agents, 3 seats, 2 repetitions.
    games = f'[[games]]\nname = "{game}"\nlimit = 1\n'
    matches = planned(tmp_path, "repetitions = 2", games)
    assert len(matches) == 12 * 3 * 2
    assert [match.agents for match in matches[:6]] == [
        ("Ada", "Rob", "Rob"),
        ("Rob", "Ada", "Rob"),
        ("Rob", "Rob", "Ada"),
        ("Rob", "Ada", "Ada"),
        ("Ada", "Rob", "Ada"),
        ("Ada", "Ada", "Rob"),
    ]
    alone: Counter[tuple[str, str, int]] = Counter()
    for match in matches:
        name, other = sorted(set(match.agents), key=match.agents.count)
        assert match.agents.count(name) == 1
        alone[name, other, match.agents.index(name)] += 1
    places = product(permutations(NAMES, 2), range(3))
    assert alone == {(*pair, seat): 2 for pair, seat in places}
    assert {match.counted for match in matches} == {(0, 1, 2)}


def test_a_payoff_game_with_a_line_up_is_played_once_a_setting(tmp_path: Path) -> None:
    games = '[[games]]\nname = "public_good"\nlineup = ["Ada", "Rob", "Lin"]\n'
    matches = planned(tmp_path, games=games)
    assert [match.agents for match in matches] == [("Ada", "Rob", "Lin")] * 7


def test_a_line_up_of_each_agent_alone_seats_it_everywhere(tmp_path: Path) -> None:
    # 5 settings, 4 agents, one match each; a greedy seat is the rules' own.
    matches = planned(tmp_path, games=GAME + 'lineup = "alone"\n')
    assert Counter(match.agents for match in matches) == {(name,) * 3: 5 for name in NAMES}
    donation = '[[games]]\nname = "donation"\nlineup = "alone"\ngreedy_seats = 1\n'
    text = f'name = "x"\n{donation}\n' + "".join(
        f'[[agents]]\nname = "{name}"\nstrategy = "grim"\n' for name in NAMES[:2]
    )
    seated = [match.agents for match in schedule(tournament(tmp_path, text))]
    assert seated == [("Ada",) * 8 + (BUILT_IN,), ("Rob",) * 8 + (BUILT_IN,)]


def test_a_line_up_in_turn_seats_every_agent_everywhere_once(tmp_path: Path) -> None:
    def seated(block: str) -> list[tuple[str, ...]]:
        return [m.agents for m in planned(tmp_path, games=block) if m.setting == 0]

    assert seated(GAME + 'lineup = "in_turn"\n') == [
        ("Ada", "Rob", "Lin"),
        ("Rob", "Lin", "Bea"),
        ("Lin", "Bea", "Ada"),
        ("Bea", "Ada", "Rob"),
    ]
    # More seats than agents: it begins again with the first.
    five = '[[games]]\nname = "donation"\nlineup = "in_turn"\nagents_per_match = 5\n'
    assert seated(five)[1] == ("Rob", "Lin", "Bea", "Ada", "Rob")


@pytest.mark.parametrize("preset", ["demo", "all-games", "gossip-paper", "impostor-small"])
def test_meetings_are_those_of_the_schedule(preset: str) -> None:
    wanted = replace(read_preset(preset), repetitions=2)
    counted = meetings(wanted)
    listed = meetings_of(schedule(wanted))
    assert counted == listed
    # In the same order, in which `plan` prints them.
    assert list(counted) == list(listed)
