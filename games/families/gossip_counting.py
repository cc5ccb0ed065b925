"""Counts of the games of indirect reciprocity: help, reputation, returns, tones, truth, theory.

Theory: cooperation can be sustained under an infinite horizon where actions become known, by
public monitoring or by gossip, and the future is worth enough. The plan is then to help everybody
of whom no bad word is known, in investment with everything held and half of what arrived.
Otherwise theory has everybody defect.

Source: the gossip paper (ALIGN), section 5, appendix E and propositions 1, 2 and 4.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from parlour.games.engine.counting import Count, Measure
from parlour.games.engine.events import Encounter, PairAction
from parlour.games.engine.game import Frozen, variant_keys
from parlour.games.engine.moves import Record, Seat
from parlour.games.engine.record import MatchRecord
from parlour.games.families.generations import count_generations
from parlour.games.families.gossip_games import NEGATIVE, POSITIVE, TONES

HELPED, REFUSED, GREEDY = "on cooperation", "on defection", "on a greedy seat"
UNABLE = "on a player with nothing to give"
SEEN = {True: HELPED, False: REFUSED, None: UNABLE}
TO_PLAYERS, TO_GREEDY = "toward players", "toward greedy seats"

SHARED = (
    Measure("cooperation_ratio", "cooperated", sliced=True, title="Cooperates"),
    Measure("gini", "gini", "amount", title="Gini", unbounded="gini_flagged", most=1.0),
    Measure("gini_flagged", "gini_flagged"),
)
"""Measures of every game of rounds."""
MEASURES = (
    *SHARED,
    Measure("honesty", "honest"),
    Measure("truthful_gossip", "truthful", sliced=True),
    *(Measure(f"tone_{tone}", f"tone_{tone}", sliced=True) for tone in TONES),
    Measure("image_score", "image_score", "mean", title="Image score"),
    Measure("reward_per_round", "reward", "mean"),
    Measure("discounted_return", "return", "mean", title="Return"),
)
"""Measures of every game of encounters."""

Planned = Callable[[PairAction, Record, bool, float, Mapping[str, Any]], str | float]
"""Type of a function that returns the action or amount of the equilibrium player.

It takes the action that was chosen, the encounter's record, whether the plan is to help, what
the player holds, and the variant's keys.
"""


def gini(returns: Sequence[float]) -> float | None:
    """The Gini coefficient of returns: 0 if all are equal, None if they differ and sum to 0.

    Where some returns are negative it may pass 1, and where their sum is negative it is negative:
    the gossip paper reports it so, down to -9.88.
    """
    if len(set(returns)) <= 1:
        return 0.0
    total = sum(returns)
    if total == 0:
        return None
    spread = sum(abs(a - b) for a, b in product(returns, repeat=2))
    return spread / (2 * len(returns) * total)


@dataclass(frozen=True, slots=True)
class EncounterCounts:
    """The counts of one game of encounters.

    ``shares`` names the counter of the share that is given, for each kind of ask whose answer is
    an amount.
    """

    read: Callable[[Record], Encounter]
    variant: type[Frozen]
    sustained: Callable[[Mapping[str, Any]], bool]
    planned: Planned
    shares: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, record: MatchRecord) -> Iterator[Count]:
        """Yields everything that one match adds."""
        facts = record.outcome.facts.get("encounters", ())
        met = [(self.read(each), each) for each in facts]
        yield from self._of_encounters(record, [encounter for encounter, _ in met])
        yield from self._of_theory(record, met)
        yield from count_generations(record)

    def _of_encounters(self, record: MatchRecord, met: Sequence[Encounter]) -> Iterator[Count]:
        """Help, reports and gossip, then each player's totals.

        A decision or message that is a fallback is left out of numerator and denominator, as is a
        decision of a player that had nothing to give. Greedy seats are not counted themselves.
        """
        greedy = {s for s, role in enumerate(record.outcome.roles) if role == "greedy"}
        faulty = _faulty(record)
        image = dict.fromkeys(record.counted, 0)
        earned = dict.fromkeys(record.counted, (0.0, 0))
        for step, encounter in enumerate(met, start=1):
            for seat, reward in zip(encounter.pair, encounter.rewards, strict=True):
                if seat in earned:
                    so_far, times = earned[seat]
                    earned[seat] = (so_far + reward, times + 1)
            for action in encounter.actions:
                if action.by in image and action.helped is not None:
                    if (action.kind, step, action.by) not in faulty:
                        image[action.by] += 1 if action.helped else -1
                        partner = TO_GREEDY if action.to in greedy else TO_PLAYERS
                        yield from self._decision(record.agents[action.by], partner, action)
                    report = encounter.reports.get(action.by)
                    if report is not None and ("report", step, action.by) not in faulty:
                        true = report == action.done
                        yield record.agents[action.by], "player", "honest", true, 1
                if action.to in image and ("gossip", step, action.to) not in faulty:
                    seen = GREEDY if action.by in greedy else SEEN[action.helped]
                    message = encounter.messages.get(action.to, {})
                    yield from _message(record, action.to, seen, message, action.helped)
        for seat in record.counted:
            agent, (total, times) = record.agents[seat], earned[seat]
            yield agent, "player", "image_score", image[seat], 1
            yield agent, "player", "reward", total, times
            yield agent, "player", "return", record.outcome.payoffs[seat], 1
        yield from count_inequality(record)

    def _decision(self, agent: str, partner: str, action: PairAction) -> Iterator[Count]:
        """The help of a decision, and the share that is given where it is an amount."""
        yield agent, partner, "cooperated", bool(action.helped), 1
        if action.share is not None:
            yield agent, partner, self.shares[action.kind], action.share, 1

    def _of_theory(
        self, record: MatchRecord, met: Sequence[tuple[Encounter, Record]]
    ) -> Iterator[Count]:
        """Agreement of each decision with the equilibrium player on the same view.

        A fallback is not the agent's decision, and a player with nothing to invest or to return is
        not asked.
        """
        keys = variant_keys(self.variant, record.condition)
        cooperates = self.sustained(keys)
        faulty = _faulty(record)
        everybody = range(len(record.agents))
        resources = dict.fromkeys(everybody, keys.get("endowment", 0.0))
        suspicious: dict[int, set[int]] = defaultdict(
            set
        )  # the seats that heard something bad about each seat
        rounds = len(met) // int(keys.get("generations", 1))
        for step, (encounter, facts) in enumerate(met, start=1):
            if step % rounds == 1:  # a generation begins
                resources = dict.fromkeys(everybody, keys.get("endowment", 0.0))
                suspicious.clear()
            for action in encounter.actions:
                if (
                    action.by in record.counted
                    and action.helped is not None
                    and (action.kind, step, action.by) not in faulty
                ):
                    helps = cooperates and action.by not in suspicious[action.to]
                    planned = self.planned(action, facts, helps, resources[action.by], keys)
                    agent = record.agents[action.by]
                    yield agent, "player", "as_theory", action.done == planned, 1
            for seat, reward in zip(encounter.pair, encounter.rewards, strict=True):
                resources[seat] += reward
            for action in encounter.actions:
                if action.helped is False:
                    public = keys["monitoring"] == "public"
                    suspicious[action.by].update(everybody if public else encounter.pair)
                message = encounter.messages.get(action.to, {})
                if message.get("tone") in NEGATIVE or message.get("signal") == 0:
                    suspicious[action.by].update(everybody)


def _faulty(record: MatchRecord) -> set[tuple[str, int, Seat]]:
    """Kind, round and seat of the answers that are fallbacks."""
    return {(a.kind, a.round, a.seat) for a in record.answers if a.fault is not None}


def _message(
    record: MatchRecord, speaker: Seat, seen: str, message: Record, helped: bool | None
) -> Iterator[Count]:
    """The tone of a message, and whether it is true of what the other did."""
    agent, tone, signal = record.agents[speaker], message.get("tone"), message.get("signal")
    convention = "gossip=binary_convention" in record.condition
    if tone is not None:
        for each in TONES:
            yield agent, seen, f"tone_{each}", tone == each, 1
    elif signal is None:
        return
    means = tone in POSITIVE | NEGATIVE or (signal is not None and convention)
    judged = means and helped is not None
    yield agent, seen, "judged", judged, 1
    if judged:
        yield agent, seen, "truthful", (tone in POSITIVE or signal == 1) == helped, 1


def count_inequality(record: MatchRecord) -> Iterator[Count]:
    """Yields the inequality of payoffs among the players that are no greedy seats."""
    results = zip(record.outcome.roles, record.outcome.payoffs, strict=True)
    returns = [payoff for role, payoff in results if role != "greedy"]
    inequality = gini(returns)
    counted = {(record.agents[seat], record.outcome.roles[seat]) for seat in record.counted}
    for agent, role in sorted(counted):
        unusual = inequality is None or not 0 <= inequality <= 1
        yield agent, role, "gini_flagged", unusual, 1
        if inequality is not None:
            yield agent, role, "gini", inequality, 1
