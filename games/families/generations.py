"""Generations: players come and go, and the better half of each hands on how to play.

The game is played several times over in one match. After each time but the last the half of the
players that earned most write down their strategy; then all views begin again, and the next
generation is told these texts and nothing else of what was. Resources, discounts and partners begin
again, too. A payoff is the sum over all generations.

Source: Vallinder and Hughes (2024), "Cultural Evolution of Cooperation among LLM Agents"
(arXiv 2412.10270), where the better half also plays on in person.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from parlour.games.common.text import Text
from parlour.games.engine.counting import Count, Measure
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import GENERATION
from parlour.games.engine.game import AskTexts, FieldTexts, Sentence
from parlour.games.engine.moves import Answer, Ask, Fault, Outcome, Rules, Seat, Tell, ask, illegal
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.transcript import quoted
from parlour.games.families.gossip_games import MOST_WORDS, MakeRules, greedy_of

KINDS: Mapping[str, str] = {
    "hand_on": "the strategy that a player hands on to the next generation",
    GENERATION: "a generation begins, with the strategies of the better half of the last one",
}
SENTENCES: Mapping[str, Sentence] = {
    "hand_on": lambda event: f"hands on {quoted(event.record['strategy'])}",
    GENERATION: lambda event: (
        f"generation {event.record['number']} begins, to which is handed on: "
        + (", ".join(map(quoted, event.record["strategies"])) or "nothing")
    ),
}
HAND_ON = AskTexts(
    lambda _view: f"How should those play who come after you? At most {MOST_WORDS} words.",
    {"strategy": FieldTexts("My strategy")},
)
MEASURE = Measure("welfare_of_a_generation", "generation", "amount", sliced=True, total=False)


class Legacy(Answer):
    """A strategy in words for those who come after."""

    strategy: Text


def hand_on(best: tuple[Seat, ...], round: int) -> Ask[Legacy]:
    """Asks the better half at once for their strategies."""

    def check(_seat: Seat, answer: Legacy) -> Fault | None:
        words = len(answer.strategy.split())
        if 1 <= words <= MOST_WORDS:
            return None
        return illegal(f"the strategy has {words} words: write 1 to {MOST_WORDS}")

    def sample(_seat: Seat, dice: Dice) -> Legacy:
        return Legacy(strategy=f"Strategy number {dice.below(1000)}.")

    return Ask("hand_on", best, Legacy, lambda *_: Legacy(strategy=""), sample, check, round)


def in_generations(once: MakeRules) -> MakeRules:
    """The rules of a game of encounters that may be played in ``generations``."""

    def play(setting: Any, seats: Sequence[Seat], dice: Dice) -> Rules:
        """The rules as they are, or for one generation after another."""
        if setting.generations == 1:
            return once(setting, seats, dice)
        return _one_after_another(once, setting, seats, dice)

    return play


def _one_after_another(once: MakeRules, setting: Any, seats: Sequence[Seat], dice: Dice) -> Rules:
    outcomes: list[Outcome] = []
    encounters: list[Any] = []
    for number in range(1, setting.generations + 1):
        played = yield from _later(once(setting, seats, dice), len(encounters))
        outcomes.append(played)
        encounters += played.facts["encounters"]
        if number < setting.generations:
            own = [seat for seat in seats if seat not in greedy_of(setting, seats)]
            ranked = sorted(own, key=lambda seat: -played.payoffs[seat])
            best = ranked[: max(1, len(ranked) // 2)]
            answers = yield from ask(hand_on(tuple(sorted(best)), len(encounters)))
            strategies = [answers[seat].strategy for seat in best if answers[seat].strategy]
            record = {"number": number + 1, "strategies": strategies}
            yield Tell(GENERATION, record, round=len(encounters))
    returns = [each.payoffs for each in outcomes]
    return replace(
        outcomes[0],
        payoffs=tuple(map(sum, zip(*returns, strict=True))),
        facts={"encounters": encounters, "returns": list(map(list, returns))},
    )


def _later(inner: Rules, rounds: int) -> Rules:
    """The same match after so many rounds; what comes before the first one is told once."""
    answers = None
    while True:
        try:
            move = inner.send(answers)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        repeated = rounds and not move.round
        answers = None if repeated else (yield move._replace(round=move.round + rounds))


def count_generations(record: MatchRecord) -> Iterator[Count]:
    """Yields the sum of returns in each generation, for each agent that is counted."""
    for number, returns in enumerate(record.outcome.facts.get("returns", ()), start=1):
        for agent in sorted({record.agents[seat] for seat in record.counted}):
            yield agent, f"generation {number}", MEASURE.counter, sum(returns), 1
