"""What is counted in the games of indirect reciprocity: help, reputation, returns, tones, truth.

Source: the gossip paper (ALIGN), section 5 and appendix E.
"""

from collections.abc import Iterator, Sequence

from parlour.games.engine.moves import Record
from parlour.games.engine.record import MatchRecord
from parlour.games.families.encounters import Action, deeds, pair, report_by, rewards, told_by
from parlour.games.families.gossip_games import NEGATIVE, POSITIVE, TONES

Count = tuple[str, str, str, float, float]
"""Agent, slice, counter, k, n. A slice stands in the role column of the tidy rows."""

HELPED, REFUSED, GREEDY = "on cooperation", "on defection", "on a greedy seat"
UNABLE = "on a player with nothing to give"
TO_PLAYERS, TO_GREEDY = "toward players", "toward greedy seats"


def gini(returns: Sequence[float]) -> float | None:
    """The Gini coefficient of returns: 0 if all are equal, None if their sum is not positive.

    Where some returns are negative it may pass 1 and is given as it is.
    """
    if len(set(returns)) <= 1:
        return 0.0
    total = sum(returns)
    if total <= 0:
        return None
    spread = sum(abs(a - b) for a in returns for b in returns)
    return spread / (2 * len(returns) * total)


def of_encounters(record: MatchRecord) -> Iterator[Count]:
    """Everything that one match of encounters adds.

    A decision or message that stands for a fault leaves numerator and denominator, as does a
    decision of a player that had nothing to give. Greedy seats are not counted themselves.
    """
    greedy = {s for s, role in enumerate(record.outcome.roles) if role == "greedy"}
    faulty = {(a.kind, a.round, a.seat) for a in record.answers if a.fault is not None}
    image = dict.fromkeys(record.counted, 0)
    earned = dict.fromkeys(record.counted, (0.0, 0))
    for step, met in enumerate(record.outcome.facts["encounters"], start=1):
        for seat, reward in zip(pair(met), rewards(met), strict=True):
            if seat in earned:
                so_far, times = earned[seat]
                earned[seat] = (so_far + reward, times + 1)
        for deed in deeds(met):
            if deed.by in image and deed.helped is not None:
                if (deed.kind, step, deed.by) not in faulty:
                    image[deed.by] += 1 if deed.helped else -1
                    place = TO_GREEDY if deed.to in greedy else TO_PLAYERS
                    yield from _done(record.agents[deed.by], place, deed)
                report = report_by(met, deed.by)
                if report is not None and ("report", step, deed.by) not in faulty:
                    yield record.agents[deed.by], "player", "honest", report == deed.done, 1
            if deed.to in image and ("gossip", step, deed.to) not in faulty:
                place = GREEDY if deed.by in greedy else _seen(deed)
                agent = record.agents[deed.to]
                yield from _told(record, agent, place, told_by(met, deed.to), deed.helped)
    players = [seat for seat in range(len(record.agents)) if seat not in greedy]
    inequality = gini([record.outcome.payoffs[seat] for seat in players])
    for seat in record.counted:
        agent = record.agents[seat]
        total, times = earned[seat]
        yield agent, "player", "image_score", image[seat], 1
        yield agent, "player", "reward", total, times
        yield agent, "player", "return", record.outcome.payoffs[seat], 1
    if inequality is not None:
        for agent in sorted({record.agents[seat] for seat in record.counted}):
            yield agent, "player", "gini", inequality, 1


def _done(agent: str, place: str, deed: Action) -> Iterator[Count]:
    """Whether a decision helps, and the share that is given where it is an amount."""
    yield agent, place, "cooperated", bool(deed.helped), 1
    if deed.share is not None:
        yield agent, place, "invested" if deed.kind == "invest" else "returned", deed.share, 1


def _seen(deed: Action) -> str:
    if deed.helped is None:
        return UNABLE
    return HELPED if deed.helped else REFUSED


def _told(
    record: MatchRecord, agent: str, place: str, words: Record, helped: bool | None
) -> Iterator[Count]:
    """The tone of a message, and whether it is true of what the other did."""
    tone, signal = words.get("tone"), words.get("signal")
    if tone is not None:
        for each in TONES:
            yield agent, place, f"tone_{each}", tone == each, 1
        if tone in POSITIVE | NEGATIVE and helped is not None:
            yield agent, place, "truthful", (tone in POSITIVE) == helped, 1
    agreed = "gossip=binary_convention" in record.condition
    if signal is not None and agreed and helped is not None:
        yield agent, place, "truthful", (signal == 1) == helped, 1
