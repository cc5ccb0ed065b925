"""Block schedules: the seats of the impostor and the deal of words."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, permutations, product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from parlour.games.common.errors import BadInput
from parlour.ratings.measures.measures import measures
from parlour.ratings.skill.trueskill_ladders import net_shares
from parlour.tournament.plan.loader import read_preset, read_tournament, stored_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import PlannedMatch, match_count, schedule
from parlour.tournament.save.reader import Save
from tests.ratings.laddered import rate
from tests.tournaments import finished, printed_json, refused, tournament, written

NAMES = ("Ada", "Bea", "Cat")
NINE = tuple("ABCDEFGHI")
DIFFICULTIES = ("easy", "medium", "hard", "expert")
TEAMS = ("team_blind", "team_aware", "team_semi_aware")
MODES = ("homogeneous", "cross_play", *TEAMS)


def agents(names: Sequence[str]) -> str:
    return "".join(f'[[agents]]\nname = "{name}"\nstrategy = "random"\n' for name in names)


def game(assignment: str, matches: int | None = 48, more: str = "") -> str:
    length = "" if matches is None else f"matches = {matches}\n"
    block = f'[[games]]\nname = "impostor"\ndifficulty = "hard"\nassignment = "{assignment}"\n'
    return f"{block}{length}{more}"


class Dealt(NamedTuple):
    """One planned match, with what its setting says."""

    agents: tuple[str, ...]
    impostor: int
    words: tuple[str, str]
    planned: PlannedMatch


def dealt(read: Tournament) -> dict[str, list[Dealt]]:
    """The matches of each experiment, in order."""
    by_experiment: dict[str, list[Dealt]] = defaultdict(list)
    for match in schedule(read):
        entry = read.games[match.entry]
        setting: Any = entry.setting(match.setting)
        words = (setting.majority_word, setting.impostor_word)
        by_experiment[match.experiment].append(
            Dealt(match.agents, setting.impostor_seat, words, match)
        )
    return by_experiment


def experiments(
    folder: Path, games: str, top: str = 'seeding = "common"', names: Sequence[str] = NAMES
) -> dict[str, list[Dealt]]:
    return dealt(tournament(folder, f'name = "x"\nseed = 3\n{top}\n{games}{agents(names)}'))


def blocks(matches: list[Dealt], length: int) -> Iterator[list[Dealt]]:
    assert len(matches) % length == 0
    for start in range(0, len(matches), length):
        yield matches[start : start + length]


def titled(assignment: str, title: str) -> str:
    usual = assignment == "cross_play"
    return f"impostor ({'' if usual else f'assignment={assignment},'}difficulty=hard): {title}"


def test_every_cross_play_block_visits_the_four_seats_once_in_a_drawn_order(tmp_path: Path) -> None:
    by_title = experiments(tmp_path, game("cross_play"))
    assert set(by_title) == {
        titled("cross_play", f"{one} vs 3 × {other}") for one, other in permutations(NAMES, 2)
    }
    orders = []
    for title, matches in by_title.items():
        one, other = title.partition(": ")[2].split(" vs 3 × ")
        for block in blocks(matches, 4):
            orders.append([match.impostor for match in block])
            assert sorted(orders[-1]) == [0, 1, 2, 3]
            for match in block:
                expected = [other] * 4
                expected[match.impostor] = one
                assert match.agents == tuple(expected)
    # 6 experiments of 12 blocks. The orders are drawn, and common to all experiments.
    assert len(orders) == 72
    assert len({tuple(order) for order in orders}) >= 8
    assert all(orders[start : start + 12] == orders[:12] for start in range(12, 72, 12))


@pytest.mark.parametrize("assignment", TEAMS)
def test_a_team_block_has_the_impostor_on_each_team_in_every_seat(
    tmp_path: Path, assignment: str
) -> None:
    by_title = experiments(tmp_path, game(assignment))
    assert set(by_title) == {
        titled(assignment, f"{one} + {other}") for one, other in combinations(NAMES, 2)
    }
    for title, matches in by_title.items():
        a, b = title.partition(": ")[2].split(" + ")
        # Written out: the impostor on team A in seats 0 to 3, then on team B.
        expected = [
            (0, (a, a, b, b)),
            (1, (a, a, b, b)),
            (2, (b, b, a, a)),
            (3, (b, b, a, a)),
            (0, (b, b, a, a)),
            (1, (b, b, a, a)),
            (2, (a, a, b, b)),
            (3, (a, a, b, b)),
        ]
        for block in blocks(matches, 8):
            assert [(match.impostor, match.agents) for match in block] == expected


def test_with_one_agent_in_all_seats_the_impostors_seat_goes_round(tmp_path: Path) -> None:
    by_title = experiments(tmp_path, game("homogeneous"))
    assert set(by_title) == {titled("homogeneous", f"4 × {name}") for name in NAMES}
    for title, matches in by_title.items():
        assert {match.agents for match in matches} == {(title[-3:],) * 4}
        assert [match.impostor for match in matches] == [0, 1, 2, 3] * 12


@pytest.mark.parametrize("assignment", MODES)
def test_every_pair_of_words_is_dealt_once_before_any_is_dealt_twice(
    tmp_path: Path, assignment: str
) -> None:
    by_title = experiments(tmp_path, game(assignment, 120))
    decks = set()
    for matches in by_title.values():
        assert len(matches) == 120
        words = [match.words for match in matches]
        assert len(set(words[:75])) == 75
        assert len(set(words[75:])) == 45
        assert words[:45] != words[75:], "a used-up deck is shuffled again"
        decks.add(tuple(words))
    assert len(decks) == 1, "all experiments have the same deck"


def test_words_are_dealt_whatever_the_impostors_seat(tmp_path: Path) -> None:
    # 1,200 matches: each of the 75 pairs 16 times, in no seat always.
    seats: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    matches, *others = experiments(tmp_path, game("cross_play", 1200)).values()
    for match in matches:
        seats[match.words][match.impostor] += 1
    assert {sum(of.values()) for of in seats.values()} == {16}
    assert all(len(of) >= 3 for of in seats.values())
    for other in others:
        assert [(m.words, m.impostor) for m in other] == [(m.words, m.impostor) for m in matches]


@pytest.mark.parametrize("assignment", MODES)
def test_experiments_and_conditions_are_paired_by_words_seat_and_seed(
    tmp_path: Path, assignment: str
) -> None:
    games = game(assignment, 120) + game(assignment, 120, 'probes = "off"\n')

    def cards(matches: Sequence[Any]) -> tuple[Any, ...]:
        return tuple((match.words, match.impostor, match.planned.seed) for match in matches)

    (matches,) = set(map(cards, experiments(tmp_path, games).values()))
    assert len({seed for _, _, seed in matches}) > 75


def test_without_common_seeds_each_experiment_is_dealt_its_own_words(tmp_path: Path) -> None:
    by_title = experiments(tmp_path, game("cross_play", 120), top="")
    decks = set()
    for matches in by_title.values():
        decks.add(tuple(match.words for match in matches))
    assert len(decks) == 6
    seeds = [match.planned.seed for match in chain.from_iterable(by_title.values())]
    assert len(set(seeds)) == len(seeds)


@pytest.mark.parametrize(
    ("assignment", "matches", "length"),
    [
        ("cross_play", 6, 6),
        ("cross_play", None, 76),
        ("team_aware", None, 80),
        ("team_aware", 3, 3),
    ],
)
def test_an_experiment_is_as_long_as_the_file_says_or_whole_blocks_over_all_words(
    tmp_path: Path, assignment: str, matches: int | None, length: int
) -> None:
    by_title = experiments(tmp_path, game(assignment, matches))
    assert {len(of) for of in by_title.values()} == {length}


def test_each_repetition_deals_again_and_starts_new_blocks(tmp_path: Path) -> None:
    once = experiments(tmp_path, game("cross_play", 6), top="")
    for title, matches in experiments(tmp_path, game("cross_play", 6), "repetitions = 2").items():
        assert len(matches) == 12
        first, again = matches[:6], matches[6:]
        assert [m.words for m in first] == [m.words for m in once[title]]
        assert [m.words for m in first] != [m.words for m in again]
        assert sorted(m.impostor for m in again[:4]) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("assignment", "titles"),
    [
        ("homogeneous", {"4 × Ada", "4 × Cat"}),
        ("cross_play", {"Ada vs 3 × Bea", "Bea vs 3 × Ada", "Cat vs 3 × Bea", "Bea vs 3 × Cat"}),
        ("team_aware", {"Ada + Bea", "Cat + Bea"}),
    ],
)
def test_challengers_meet_the_defender_only_and_theirs_are_the_seats_that_count(
    tmp_path: Path, assignment: str, titles: set[str]
) -> None:
    top = 'schedule = "challenger"\ndefender = "Bea"'
    by_title = experiments(tmp_path, game(assignment, 8), top)
    assert set(by_title) == {titled(assignment, title) for title in titles}
    for matches in by_title.values():
        for match in matches:
            own = tuple(seat for seat in range(4) if match.agents[seat] != "Bea")
            assert match.planned.counted == own
            assert own


TEAM_PLAY = ("impostor", "all", "strategy_alignment")


def test_a_line_up_plays_every_pair_with_the_impostor_in_each_seat(tmp_path: Path) -> None:
    more = 'limit = 5\nlineup = ["Ada", "Bea", "Cat", "Ada"]\n'
    by_title = experiments(tmp_path, game("cross_play", None, more))
    ((title, matches),) = by_title.items()
    assert title.endswith("difficulty=hard): 2 × Ada + Bea + Cat")
    assert {match.agents for match in matches} == {("Ada", "Bea", "Cat", "Ada")}
    played = Counter((match.words, match.impostor) for match in matches)
    assert len(played) == len(matches) == 20


@pytest.mark.parametrize("lineup", ["Ada Bea Ada Bea", "Ada Ada Ada Ada"])
def test_a_line_up_may_put_an_agent_in_both_teams(tmp_path: Path, lineup: str) -> None:
    seated = lineup.split()
    more = f'limit = 1\nprobes = "off"\nlineup = {seated}\n'
    text = f'name = "x"\n{game("team_aware", None, more)}{agents(("Ada", "Bea"))}'
    with Save(finished(tmp_path, text)) as save:
        records = save.records()
    assert [record.outcome.roles.index("impostor") for record in records] == [0, 1, 2, 3]
    rows = measures(records)
    teams = {r.agent: r.n for r in rows if (r.game, r.condition, r.measure) == TEAM_PLAY}
    ratings = rate(records).overall
    if len(set(seated)) == 1:
        # One agent against itself: both its teams of four matches, and nobody is moved.
        assert teams == {"Ada": 8}
        assert ratings == {}
    else:
        # Each is in both teams of four matches. The impostor's agent has 1 - 1/3 for the impostor,
        # the other 2/3 for the majority.
        assert teams == {"Ada": 8, "Bea": 8}
        assert set(ratings) == {"Ada", "Bea"}
        shares = net_shares(records[0])
        assert shares["impostor"] == {"Ada": pytest.approx(2 / 3)}
        assert shares["majority"] == {"Bea": pytest.approx(2 / 3)}


def test_the_papers_plan_has_756_experiments_of_120_matches_each_agent_impostor_alike() -> None:
    read = read_preset("impostor-paper")
    assert len(read.agents) == 9
    lengths: Counter[str] = Counter()
    by_mode: Counter[tuple[str, str]] = Counter()
    impostors: Counter[str] = Counter()
    seats: Counter[tuple[str, str, str, int]] = Counter()
    for match in schedule(read):
        entry = read.games[match.entry]
        variant: Any = entry.variant
        impostor = match.setting % 4
        lengths[match.experiment] += 1
        by_mode[variant.difficulty, variant.assignment] += 1
        impostors[match.agents[impostor]] += 1
        seats[match.agents[impostor], variant.difficulty, variant.assignment, impostor] += 1
    assert len(lengths) == 756
    assert set(lengths.values()) == {120}
    assert sum(lengths.values()) == match_count(read) == 90_720
    modes = {"homogeneous": 1_080, "cross_play": 8_640, **dict.fromkeys(TEAMS, 4_320)}
    assert by_mode == {(d, mode): modes[mode] for d, mode in product(DIFFICULTIES, modes)}
    assert impostors == {agent.name: 10_080 for agent in read.agents}
    # And in every seat as often: a quarter of 120, 8 × 120, and 8 × 60.
    shares = {"homogeneous": 30, "cross_play": 240, **dict.fromkeys(TEAMS, 120)}
    assert all(count == shares[mode] for (_, _, mode, _), count in seats.items())
    assert len(seats) == 9 * 4 * 5 * 4


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_papers_plan_takes_any_number_of_agents(tmp_path: Path, n: int) -> None:
    # n alone, n (n - 1) across, 3 n (n - 1) / 2 in teams; on 4 difficulties.
    read = tournament(tmp_path, f'preset = "impostor-paper"\n{agents(NINE[:n])}')
    experiments = 4 * (n + n * (n - 1) + 3 * n * (n - 1) // 2)
    named = Counter(match.experiment for match in schedule(read))
    assert len(named) == experiments
    assert match_count(read) == 120 * experiments == sum(named.values())


def test_the_papers_parameters_reach_every_model(tmp_path: Path) -> None:
    read = tournament(
        tmp_path,
        'preset = "impostor-paper"\nname = "mine"\n'
        '[[agents]]\nname = "Mo"\nkind = "llm"\nmodel = "m"\n'
        '[[agents]]\nname = "Nan"\nkind = "llm"\nmodel = "n"\nparameters = {temperature = 0}\n'
        "for_ask = {vote = {temperature = 0.1}}\n",
    )
    first, second = (agent.model_dump() for agent in read.agents)
    assert first["parameters"] == {"temperature": 0.7}
    assert first["for_ask"] == {"clue": {"max_tokens": 150}, "vote": {"temperature": 0.3}}
    assert second["parameters"] == {"temperature": 0}
    assert second["for_ask"] == {"clue": {"max_tokens": 150}, "vote": {"temperature": 0.1}}


EVERY_MODE = "".join(game(mode, 8) for mode in MODES)


@pytest.mark.parametrize(
    "top", ["", "repetitions = 3", 'schedule = "challenger"\ndefender = "Bea"\nrepetitions = 2']
)
def test_match_count_equals_the_length_of_the_schedule(top: str, tmp_path: Path) -> None:
    games = EVERY_MODE + game("cross_play", None) + game("team_aware", 3)
    games += game("cross_play", None, 'lineup = ["Ada", "Bea", "Cat", "Ada"]\n')
    read = tournament(tmp_path, f'name = "x"\n{top}\n{games}{agents(NAMES)}')
    assert match_count(read) == len(list(schedule(read)))


def test_the_same_seed_gives_the_same_plan_and_another_seed_another(tmp_path: Path) -> None:
    text = f'name = "x"\n{EVERY_MODE}{agents(NAMES)}'
    path = tmp_path / "x.toml"
    path.write_text(text, encoding="utf-8")
    plans = [list(schedule(read_tournament(path, seed))) for seed in (5, 5, 6)]
    assert plans[0] == plans[1]
    assert [m.setting for m in plans[0]] != [m.setting for m in plans[2]]


def test_a_plan_comes_back_from_a_save(tmp_path: Path) -> None:
    read = tournament(tmp_path, f'name = "x"\nseed = 5\n{EVERY_MODE}{agents(NAMES)}')
    again = stored_tournament(read.to_json(), "here")
    assert again == read
    assert list(schedule(again)) == list(schedule(read))


@pytest.mark.parametrize(
    ("block", "line"),
    [
        (game("cross_play", 0), "games[0].matches: must be at least 1 (got 0)"),
        (game("cross_play", 100_001), "games[0].matches: must be at most 100000"),
        (
            '[[games]]\nname = "undercover"\nmatches = 8\n',
            "games[0].matches: is not a key of 'undercover'; leave it out; repetitions repeats",
        ),
        (game("teams", 8), "games[0].assignment: must be 'cross_play', "),
        (
            game("cross_play", 8, 'lineup = ["Ada", "Bea"]\n'),
            "games[0].lineup: names 2 agents; impostor has 4 seats for agents",
        ),
        (game("cross_play", 8, "limit = 76\n"), "games[0].limit: 76 is more than impostor has"),
    ],
)
def test_a_block_that_cannot_be_scheduled_is_refused(tmp_path: Path, block: str, line: str) -> None:
    with pytest.raises(BadInput) as problem:
        experiments(tmp_path, block)
    assert line in str(problem.value)


def test_a_file_without_pairs_of_the_difficulty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "easy.json").write_text('{"easy": [["oak", "sun"]]}')
    hard = game("cross_play", 8, 'settings = "easy.json"\n')
    written(tmp_path, f'name = "x"\n{hard}{agents(NAMES)}')
    line = refused("plan", "tournament.toml", cwd=tmp_path)
    assert "games[0].settings: has no record for this variant" in line


def test_the_plan_counts_experiments(tmp_path: Path) -> None:
    written(tmp_path, f'name = "x"\n{EVERY_MODE}{agents(NAMES)}')
    body = printed_json("plan", "tournament.toml", "--format", "json", cwd=tmp_path)
    # 3 alone, 6 across, 3 × 3 in teams, 8 matches each.
    assert (body["experiments"], body["matches"]) == (18, 144)
    assert set(body["matches_by_experiment"].values()) == {8}
