"""Games as environments: observations, answers and faults, rewards, copies, saves."""

import copy
import json
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import parlour
from parlour.agents.base import Call, Reply
from parlour.env import Environment
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask, Fault, FaultKind, Seat
from parlour.games.engine.prompts import render
from parlour.games.engine.registry import find_game, games
from parlour.tournament.run.quick_turn import REPAIRS
from parlour.tournament.save.reader import Save
from tests.tournaments import printed

GAMES = sorted(games())
Copy = Callable[[Environment], Environment]


def by_pickle(env: Environment) -> Environment:
    made: Environment = pickle.loads(pickle.dumps(env))
    return made


def finish(env: Environment) -> None:
    """Plays a match to its end with drawn answers."""
    while not env.over:
        env.step({who: env.sample(who) for who in env.asked})


def half_way(env: Environment) -> None:
    """Plays four steps, the last with one answer of those that are asked."""
    for _ in range(3):
        env.step({who: env.sample(who) for who in env.asked})
    env.step({env.asked[0]: env.sample(env.asked[0])})


# --- Observations


@pytest.mark.parametrize("wording", ["full", "short"])
@pytest.mark.parametrize("game", GAMES)
def test_the_text_is_what_agents_get(game: str, wording: Any) -> None:
    for seed in range(3):
        env = Environment(game, None, seed, wording=wording)
        while not env.over:
            for who in env.asked:
                seat, ask = Seat(int(who.split()[1]) - 1), env.table.pending
                prompt = render(env.table.game, env.table.view(seat), ask.kind, wording=wording)
                assert env.text(who) == f"{prompt.system}\n\n{prompt.question}"
            env.step({who: env.sample(who) for who in env.asked})


@pytest.mark.parametrize("game", GAMES)
def test_deltas_hold_every_line_once_and_the_whole_question(game: str) -> None:
    env = Environment(game, None, 5)
    heard: dict[str, list[str]] = {who: [] for who in env.players}
    while not env.over:
        for who in env.asked:
            delta, question = env.delta(who), env.prompt(who).question
            assert env.delta(who) == delta  # until the next ask
            history, _, rest = question.partition("\n\n")
            assert delta.endswith(rest)
            records = [line for line in delta.split("\n") if line.startswith("- round ")]
            assert not set(records) & set(heard[who])
            heard[who] += records
            known = {line for line in history.split("\n") if line.startswith("- round ")}
            assert known <= set(heard[who])
        env.step({who: env.sample(who) for who in env.asked})


def test_a_delta_after_the_first_leaves_out_the_rules() -> None:
    env = Environment("prisoners_dilemma")
    assert env.delta(1) == env.text(1)
    env.step({who: {"action": "defect"} for who in env.asked})
    everybody = ", ".join(f"Player {number} chose to defect" for number in (1, 2, 3))
    first, blank, question = env.delta(1).split("\n")[-3:]
    assert (first, blank) == (f"- round 1: {everybody}", "")
    assert question.startswith("It is round 2 of 5.")


@pytest.mark.parametrize("game", GAMES)
def test_data_is_plain_and_has_what_the_seat_was_told(game: str) -> None:
    env = Environment(game, None, 2)
    while not env.over:
        for who in env.asked:
            data = env.data(who)
            assert json.loads(json.dumps(data)) == data
            view = env.match.view(who)
            assert [each["text"] for each in data["events"]] == [event.text for event in view]
            data["events"].clear()  # the caller's own
        env.step({who: env.sample(who) for who in env.asked})


# --- Answers


@pytest.mark.parametrize("game", GAMES)
def test_samples_are_legal_in_every_form(game: str) -> None:
    env = Environment(game, None, 4)
    while not env.over:
        answers = {who: env.sample(who) for who in env.asked}
        for who, answer in answers.items():
            assert set(env.schema(who)["required"]) <= {*answer, "reasoning", "justification"}
            assert env.sample(who) == answer
            for form in (answer, json.dumps(answer), f"I say:\n```json\n{json.dumps(answer)}\n```"):
                assert env.check(who, form) is None
        assert not env.step(answers).faults


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        *((None, FaultKind.EMPTY), ("", FaultKind.EMPTY), (7, FaultKind.UNPARSABLE)),
        ("I would rather not.", FaultKind.UNPARSABLE),
        ({"action": "wait"}, FaultKind.UNPARSABLE),
        (Fault(FaultKind.TIMEOUT), FaultKind.TIMEOUT),
    ],
)
def test_an_answer_that_cannot_be_used_is_a_fault(answer: object, kind: FaultKind) -> None:
    env = Environment("prisoners_dilemma")
    step = env.step({1: answer, 2: {"action": "defect"}, 3: {"action": "defect"}})
    assert {who: fault.kind for who, fault in step.faults.items()} == {"Player 1": kind}
    assert env.faults == {"Player 1": 1, "Player 2": 0, "Player 3": 0}
    assert [event.fault for event in env.match.events[1:4]] == [str(kind), None, None]


def test_an_answer_against_the_rules_is_illegal() -> None:
    env = Environment("undercover", probes="off")
    (who,) = env.asked
    words = [each["record"]["word"] for each in env.data(who)["events"] if each["kind"] == "word"]
    fault = env.check(who, {"text": f"It is a {words[0]}"})
    assert fault.kind == FaultKind.ILLEGAL


def test_only_those_who_are_asked_may_answer() -> None:
    env = Environment("undercover")
    (first,) = env.asked
    other = next(who for who in env.players if who != first)
    for act in (env.text, env.sample, env.schema, lambda who: env.step({who: None})):
        with pytest.raises(parlour.BadInput, match=f"{other}: is not asked now; the match waits"):
            act(other)
    with pytest.raises(parlour.BadInput, match="there is no Player 9"):
        env.data(9)
    assert env.asked == (first,)


# --- Other agents


def test_others_answer_as_in_a_run(tmp_path: Path) -> None:
    """A match that is played to its middle from outside is played on as it would be here."""
    env = Environment("undercover", 0, 6, others={1: "bayesian", 3: {"strategy": "random"}})
    env.step({2: env.sample(2)})
    save = env.save(tmp_path / "half.db")
    assert not save.finished

    class Outside:
        def decide(self, ask: Ask[Any], view: View, dice: Any) -> object:
            assert env.asked == ("Player 2",)
            answer = env.sample(2)
            env.step({2: answer})
            return answer

    played = parlour.run(save.tournament, save.path, agents={"Player 2": Outside()})
    assert played.match(1).events == env.match.events
    assert played.leaderboard()["agent"].notna().all()


class Noting:
    """An agent that waits, errs once at each ask, and notes how often it was asked."""

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        if not call.earlier:
            return Reply("nothing", {"asked": len(call.notes)}, "nothing")
        return Reply(ask.sample(view.seat, call.dice), {"asked": len(call.notes)})


class Stubborn:
    """An agent that never gives an answer."""

    def decide(self, ask: Ask[Any], view: View, dice: Any) -> object:
        self.times = getattr(self, "times", 0) + 1
        return None


def test_others_are_objects_that_are_asked_again_after_a_fault() -> None:
    stubborn = Stubborn()
    env = Environment("prisoners_dilemma", others={2: Noting(), 3: stubborn})
    assert env.players == env.asked == ("Player 1",)
    env.step({1: {"action": "defect"}})
    env.step({1: {"action": "defect"}})
    by_seat = [event.fault for event in env.match.events if event.player][:3]
    assert by_seat == [None, None, "unparsable"]
    assert stubborn.times == 3 * (1 + REPAIRS)  # the third ask has begun
    assert [note["asked"] for note in copy.copy(env)._notes[Seat(1)]] == [0, 1, 2, 3, 4, 5]


def test_others_that_cannot_play_are_refused() -> None:
    twins = {2: {"name": "A", "strategy": "random"}, 3: {"name": "A", "strategy": "literal"}}
    cases: list[tuple[Any, str]] = [
        ({2: "nobody"}, "unknown strategy 'nobody'"),
        ({2: "haggler"}, "'haggler' cannot play 'undercover'"),
        ({7: "random"}, "there is no Player 7"),
        ({2: 5}, "a int cannot play"),
        (twins, "others, Player 3: 'A' is another agent, too; rename it"),
    ]
    for others, line in cases:
        with pytest.raises(parlour.BadInput, match=line):
            Environment("undercover", others=others)


# --- Rewards


@pytest.mark.parametrize("rewards", ["end", "round"])
@pytest.mark.parametrize("game", GAMES)
def test_rewards_add_up_to_the_payoffs(game: str, rewards: Any) -> None:
    for seed in range(5):
        env = Environment(game, None, seed, rewards=rewards, others={2: "random"})
        total = dict.fromkeys(env.all_players, 0.0)
        while not env.over:
            step = env.step({who: env.sample(who) for who in env.asked})
            assert rewards == "round" or step.over or not any(step.rewards.values())
            for who, reward in step.rewards.items():
                total[who] += reward
        assert total == pytest.approx(env.outcome.payoffs, abs=1e-9)


def test_the_rewards_of_a_round_are_its_points() -> None:
    dilemma = Environment("prisoners_dilemma", rewards="round")
    answers = {1: {"action": "defect"}, 2: {"action": "cooperate"}, 3: {"action": "cooperate"}}
    lone = dilemma.table.setting.lone_defector
    assert list(dilemma.step(answers).rewards.values()) == [lone, 0.0, 0.0]
    pool = Environment("public_good", rewards="round")
    share = 10 * pool.table.setting.multiplier / 3
    given = pool.step({1: {"amount": 10}, 2: {"amount": 0}, 3: {"amount": 0}})
    assert list(given.rewards.values()) == [share - 10, share, share]


def test_the_rewards_of_encounters_are_discounted() -> None:
    env = Environment("donation", rewards="round", agents_per_match=2, discount=0.5)
    donor = env.asked[0]
    step = env.step({donor: {"action": "cooperate"}})
    cost = env.table.setting.cost
    assert step.rewards[donor] == -cost
    of = env.table.game.hints.rewards
    assert of is not None
    (met,) = (event for event in env.table.events if event.kind == "encounter")
    rewards, seat = of(env.table.setting), Seat(int(donor[-1]) - 1)
    assert [rewards(met)[seat] for _ in range(3)] == [-cost, -cost / 2, -cost / 4]


# --- Seeds and copies


def test_a_seed_gives_the_same_match_and_none_the_next() -> None:
    env = Environment("undercover", None, 3)
    finish(env)
    first = str(env.match)
    env.reset()
    assert env.seed == 4
    finish(env)
    assert str(env.match) != first
    env.reset(3)
    finish(env)
    assert str(env.match) == first
    assert env.settings == len(find_game("undercover", "").shipped())


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, by_pickle])
@pytest.mark.parametrize("game", GAMES)
def test_a_copy_goes_on_as_the_first_would(game: str, copied: Copy) -> None:
    env = Environment(game, None, 8, rewards="round", others={2: "random"})
    half_way(env)
    for who in env.asked:
        env.delta(who)
    made = copied(env)
    assert [made.delta(who) for who in made.asked] == [env.delta(who) for who in env.asked]
    before = len(env.table.events)
    made_rewards = []
    while not made.over:
        made_rewards.append(made.step({who: made.sample(who) for who in made.asked}))
    assert len(env.table.events) == before
    rewards = []
    while not env.over:
        rewards.append(env.step({who: env.sample(who) for who in env.asked}))
    assert (made.table.events, made.outcome) == (env.table.events, env.outcome)
    assert made_rewards == rewards


def test_branches_draw_other_answers_of_others() -> None:
    env = Environment("prisoners_dilemma", seed=1, others={2: "random", 3: "random"})
    ends = set()
    for seed in range(20):
        branch = env.branch(seed)
        while not branch.over:
            branch.step({1: {"action": "defect"}})
        ends.add(str(branch.match))
    assert len(ends) > 10
    assert env.match.events[-1].round <= 1


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))]
)
def test_a_table_that_is_played_by_hand_can_be_copied(copied: Callable[[Any], Any]) -> None:
    table = parlour.table("cost_sharing", seed=3)
    other = copied(table)
    (who,) = table.pending.players
    assert list(other.prompts()) == [who]
    assert f"{other.prompts()[who].system}\n\n{other.prompts()[who].question}" == table.prompt(who)
    other.answer({who: {"reasoning": "", "shares": [30, 30, 40]}})
    assert len(table.events) < len(other.events)


# --- Saves


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_saved_with_its_faults(game: str, tmp_path: Path) -> None:
    env = Environment(game, None, 3, others={2: "random"})
    times = 0
    while not env.over:
        times += 1
        env.step({who: env.sample(who) if times % 3 else None for who in env.asked})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of many faults
        save = env.save(tmp_path / "hand.db")
    assert save.finished
    match = save.match(1)
    assert (match.events, match.outcome) == (env.match.events, env.outcome)
    assert match.agents == {who: "random" if who == "Player 2" else who for who in match.agents}
    assert any(event.fault for event in match.events)
    assert printed("check", save.path, cwd=tmp_path).rstrip().endswith("replays identically")
    with pytest.raises(parlour.BadSave, match="exists"):
        env.save(save.path)


def test_a_repetition_of_a_saved_match_is_another_match(tmp_path: Path) -> None:
    env = Environment("prisoners_dilemma", seed=4)
    finish(env)
    path = env.save(tmp_path / "hand.db").path
    with Save(parlour.add(path, repetitions=2).path) as save:
        assert next(match.seed for match in save.matches()) == 4
        assert len({match.seed for match in save.matches()}) == 2


def test_a_seed_that_no_save_can_hold_is_refused(tmp_path: Path) -> None:
    env = Environment("prisoners_dilemma", seed=-1)
    with pytest.raises(parlour.BadInput, match="seed: -1 cannot be stored; give one from 0"):
        env.save(tmp_path / "hand.db")
