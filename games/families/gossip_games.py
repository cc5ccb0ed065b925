"""Shared parts of the games of indirect reciprocity: keys, pairings, gossip, discounting.

Source: the gossip paper (ALIGN), sections 3.1, 4 and 5, appendices B and C.
"""

from collections import Counter
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from itertools import product, repeat
from math import prod
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, WithJsonSchema, model_validator

from parlour.games.common.text import Text
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import GENERATION, Encounter, Event
from parlour.games.engine.game import Frozen, Rewards, Rounds, Scoring, Seating
from parlour.games.engine.moves import (
    Answer,
    Ask,
    Fault,
    Outcome,
    Record,
    Rules,
    Seat,
    Tell,
    acted,
    ask,
    illegal,
)
from parlour.games.engine.wordings import Told

Tone = Literal["praising", "neutral", "mocking", "complaint", "criticism"]
TONES: tuple[Tone, ...] = ("praising", "neutral", "mocking", "complaint", "criticism")
POSITIVE, NEGATIVE = frozenset({"praising"}), frozenset({"mocking", "complaint", "criticism"})
MOST_WORDS = 150
"""Words of a gossip message."""

ENDINGS = {"played": "every pair has met"}
PUBLISHED = frozenset({"gossip", "report"})
"""Kinds of answers that all are told in the next event."""


class NoRecord(Frozen):
    """One entry of a settings file: these games need nothing but their variant."""


class GossipVariant(Told):
    """Variant keys that all games of encounters have.

    ``horizon``: players of a finite one are told the number of encounters. ``monitoring``: who
    sees an action besides the pair; with gossip the witness publishes a message. ``gossip``: the
    form of the message (None without gossip monitoring). ``self_report``: players publish a
    report of their own actions, too, true or not. ``disclosure``: as in the paper, players of an
    infinite horizon are told nothing from which its length follows, and a recipient is told what
    both held before it gossips; "full" tells the number of players in either horizon.
    ``meetings``: how often each pair meets; more than once is direct reciprocity.
    ``gossip_noise``: the probability that gossip is published as the opposite of what was sent.
    ``partners``: where they are unknown, nobody learns whom it meets, or whether it met it before.
    """

    horizon: Literal["infinite", "finite"] = "infinite"
    monitoring: Literal["gossip", "private", "public"] = "gossip"
    gossip: Literal["tones", "binary", "binary_convention"] | None = "tones"
    equilibrium_knowledge: bool = True
    reflection: bool = True
    discount: float = Field(default=0.99, ge=0, le=1)
    discount_by: Literal["appearance", "step"] = "appearance"
    greedy_seats: int = Field(default=0, ge=0)
    self_report: bool = False
    disclosure: Literal["paper", "full"] = "paper"
    agents_per_match: int = Field(default=5, ge=2, le=12)
    when_changed: ClassVar = frozenset({"meetings", "gossip_noise", "noise", "partners"})
    meetings: int = Field(default=1, ge=1, le=20)
    partners: Literal["known", "unknown"] = "known"
    gossip_noise: float = Field(default=0.0, ge=0, le=0.5)

    @model_validator(mode="before")
    @classmethod
    def _no_gossip_without_monitoring(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and raw.get("monitoring", "gossip") != "gossip":
            if raw.get("gossip") is not None:
                raise ValueError(f"gossip = {raw['gossip']!r} needs monitoring = 'gossip'")
            if raw.get("self_report"):
                raise ValueError("self_report = true needs monitoring = 'gossip'")
            if raw.get("gossip_noise"):
                noise = raw["gossip_noise"]
                raise ValueError(f"gossip_noise = {noise} needs monitoring = 'gossip'")
            return {**raw, "gossip": None}
        if isinstance(raw, dict) and raw.get("gossip", "tones") is None:
            raise ValueError("gossip is missing though monitoring = 'gossip'")
        return raw

    @model_validator(mode="after")
    def _possible(self) -> "GossipVariant":
        if self.partners == "unknown" and self.monitoring != "private":
            raise ValueError("partners = 'unknown' needs monitoring = 'private'")
        if self.greedy_seats >= self.agents_per_match:
            raise ValueError(
                f"greedy_seats = {self.greedy_seats} leaves none of {self.agents_per_match} seats"
            )
        return self


class HelpVariant(GossipVariant):
    """Variant keys of the games in which a player helps another at a cost, or does not.

    ``noise``: the probability that an action is carried out as the opposite of what was chosen.
    """

    benefit: float = Field(default=5.0, gt=0)
    cost: float = Field(default=1.0, gt=0)
    noise: float = Field(default=0.0, ge=0, le=0.5)


def carried_out(setting: HelpVariant, action: str, dice: Dice) -> str:
    """The action that takes place: the chosen one, or with probability ``noise`` the opposite."""
    # Without noise no dice are thrown, so that matches from before the key replay.
    if setting.noise and dice.chance(setting.noise):
        return "defect" if action == "cooperate" else "cooperate"
    return action


def sides(setting: GossipVariant) -> tuple[str, ...]:
    """Each seat is a side."""
    return tuple(f"seat {seat}" for seat in range(setting.agents_per_match))


SEATING = Seating(sides=sides, pairing="shared", built_in=lambda setting: setting.greedy_seats)
SCORING = Scoring(
    roles={"player": None, "greedy": None},
    rated="payoff",
    draw_probability=0.1,  # two agents' mean returns are equal only where they behave alike
)
"""Seats and scores of every game of this family."""
STRANGERS = ({"partners": "unknown", "monitoring": "private", "meetings": 2},)
"""Keys that the conformance suite plays together."""


def encounter_rounds(
    read: Callable[[Record], Encounter],
    pair: Callable[[Record], tuple[Seat, Seat]],
    temptation: Callable[[Record], float],
    acts: Collection[str],
    act: Callable[[Ask[Any], Seat, bool, Record], Any] = acted,
    stake: float = 1.0,
) -> Rounds:
    """The rounds of a game of encounters, which ``read`` and ``pair`` read."""

    def cooperated(_rules: Record, met: Sequence[Record]) -> Mapping[Seat, bool]:
        actions = read(met[-1]).actions
        return {action.by: action.helped for action in actions if action.helped is not None}

    return Rounds(
        frozenset({"encounter"}),
        cooperated,
        temptation,
        frozenset(acts),
        act,
        stake=stake,
        pair=pair,
        highest_wins=False,
    )


def greedy_of(setting: GossipVariant, seats: Sequence[Seat]) -> frozenset[Seat]:
    """The last seats, which the rules play: they give nothing and publish nothing."""
    return frozenset(seats[len(seats) - setting.greedy_seats :])


def told_to_all(setting: GossipVariant, players: int, steps: int) -> dict[str, Any]:
    """The rules as all players read them.

    The length is told only under a finite horizon. The number of players gives it away, since
    every pair meets equally often. Noise and repeated meetings are told where there are some.
    """
    # How many generations come is not told, only that there are some.
    untold = {"greedy_seats", "agents_per_match", "disclosure", "generations"}
    announced = setting.model_dump(mode="json", exclude=untold)
    finite = setting.horizon == "finite"
    if finite or setting.disclosure == "full":
        announced["players"] = players
    if getattr(setting, "generations", 1) > 1:
        announced["generations"] = True
    return {**announced, "steps": steps if finite else None}


def alternating_pairs(
    players: Sequence[Seat], dice: Dice, meetings: int = 1
) -> tuple[tuple[Seat, Seat], ...]:
    """Every pair, one a step, as (actor, witness); each player alternates without a break.

    All pairs meet once before any meets again. Of an odd number of players one more than half act
    first, of an even number half.
    """
    pairs: list[tuple[Seat, Seat]] = []
    acts_next: dict[Seat, bool] = {}
    for _ in range(meetings):
        walk, acts_next = _walk(players, dice, acts_next)
        pairs += walk
    return tuple(pairs)


def _walk(
    players: Sequence[Seat], dice: Dice, begins: Mapping[Seat, bool]
) -> tuple[list[tuple[Seat, Seat]], dict[Seat, bool]]:
    """Every pair once, and who acts next after them.

    ``begins`` says who acts first; if it is empty, that is drawn.
    """
    while True:  # a random walk, started again where it ends without pairing all
        deck = dice.shuffled(players)
        drawn = {seat: place < (len(deck) + 1) // 2 for place, seat in enumerate(deck)}
        acts_next = {**drawn, **begins}
        left = {seat: set(deck) - {seat} for seat in deck}
        pairs: list[tuple[Seat, Seat]] = []
        while True:
            actors = [seat for seat in players if acts_next[seat]]
            witnesses = [seat for seat in players if not acts_next[seat]]
            open_pairs = [(a, b) for a, b in product(actors, witnesses) if b in left[a]]
            if not open_pairs:
                break
            actor, witness = dice.choice(open_pairs)
            pairs.append((actor, witness))
            left[actor].remove(witness)
            left[witness].remove(actor)
            acts_next[actor], acts_next[witness] = False, True
        if not any(left.values()):
            return pairs, acts_next


def rewards_of(read: Callable[[Record], Encounter]) -> Callable[[GossipVariant], Rewards]:
    """The discounted reward of each encounter; ``read`` reads its record."""

    def rewards(setting: GossipVariant) -> Rewards:
        appearances: Counter[Seat] = Counter()
        before = [0]  # the rounds before each generation

        def of(event: Event) -> dict[Seat, float]:
            if event.kind == GENERATION:
                appearances.clear()
                before.append(event.round)
            if event.kind != "encounter":
                return {}
            met, earned = read(event.record), {}
            for seat, reward in zip(met.pair, met.rewards, strict=True):
                if event.to is not None and seat not in event.to:
                    continue
                by_step = setting.discount_by == "step"
                exponent = event.round - 1 - before[-1] if by_step else appearances[seat]
                earned[seat] = discount_factor(setting.discount, exponent) * reward
                appearances[seat] += 1
            return earned

        return of

    return rewards


def discount_factor(discount: float, exponent: int) -> float:
    """The discount to a power, by repeated products: the same on every platform, as ** is not."""
    return prod(repeat(discount, exponent), start=1.0)


def discounted(rewards: Sequence[tuple[int, float]], discount: float, by: str) -> float:
    """The discounted sum of one player's rewards, given as (step from 1, reward) in order.

    The exponent is the player's own count of earlier appearances, or with ``by = "step"`` the
    number of earlier steps of the whole game.
    """
    total = 0.0
    for appearance, (step, reward) in enumerate(rewards):
        exponent = appearance if by == "appearance" else step - 1
        total += discount_factor(discount, exponent) * reward
    return total


def sustained(keys: Mapping[str, Any], patient: bool) -> bool:
    """True if grim trigger sustains cooperation under these keys.

    Under an infinite horizon, where actions become known, and where players are ``patient``:
    nobody gains by one deviation. Gossip paper, propositions 1, 2 and 4.
    """
    known = keys["monitoring"] in {"public", "gossip"}
    return keys["horizon"] == "infinite" and known and patient


def help_is_sustained(keys: Mapping[str, Any]) -> bool:
    """The same where helping costs ``cost`` and gives ``benefit``: the discount is at least c/b."""
    return sustained(keys, keys["discount"] * keys["benefit"] >= keys["cost"])


class ToneGossip(Answer):
    """A public message about the actor, in one of five tones."""

    justification: Text = ""
    tone: Tone
    message: Text


class SignalGossip(Answer):
    """A public signal about the actor; None, which is not posted, only from a fault."""

    justification: Text = ""
    signal: Annotated[Literal[0, 1] | None, WithJsonSchema({"type": "integer", "enum": [0, 1]})]


class Report(Answer):
    """The actor's public report of its own action, true or not; None only from a fault."""

    justification: Text = ""
    action: Annotated[
        Literal["cooperate", "defect"] | None,
        WithJsonSchema({"type": "string", "enum": ["cooperate", "defect"]}),
    ]


def gossip(protocol: str, witnesses: tuple[Seat, ...], step: int) -> Ask[Any]:
    """Asks the witnesses at once for their messages or signals."""

    def check_tone(_seat: Seat, answer: ToneGossip) -> Fault | None:
        """The fault of a message that is blank or too long."""
        words = len(answer.message.split())
        if words > MOST_WORDS:
            return illegal(f"the message has {words} words: at most {MOST_WORDS}")
        if not words:
            return illegal("the message is blank: say something about the player you met")
        return None

    def sample_tone(_seat: Seat, dice: Dice) -> ToneGossip:
        return ToneGossip(tone=dice.choice(TONES), message=f"Note number {dice.below(1000)}.")

    if protocol == "tones":
        return Ask(
            "gossip",
            witnesses,
            ToneGossip,
            lambda *_: ToneGossip(tone="neutral", message=""),
            sample_tone,
            check_tone,
            step,
        )

    def check_signal(_seat: Seat, answer: SignalGossip) -> Fault | None:
        return illegal("no signal is given: 0 or 1") if answer.signal is None else None

    def sample_signal(_seat: Seat, dice: Dice) -> SignalGossip:
        return SignalGossip(signal=dice.choice((0, 1)))

    return Ask(
        "gossip",
        witnesses,
        SignalGossip,
        lambda *_: SignalGossip(signal=None),
        sample_signal,
        check_signal,
        step,
    )


def self_report(actors: tuple[Seat, ...], step: int) -> Ask[Report]:
    """Asks the actors to report their own actions."""

    def check(_seat: Seat, answer: Report) -> Fault | None:
        return illegal("no action is reported") if answer.action is None else None

    def sample(_seat: Seat, dice: Dice) -> Report:
        return Report(action=dice.choice(("cooperate", "defect")))

    return Ask("report", actors, Report, lambda *_: Report(action=None), sample, check, step)


MakeRules = Callable[[Any, Sequence[Seat], Dice], Rules]


def with_unknown_partners(rules: MakeRules) -> MakeRules:
    """The rules of a game of encounters in which partners may be ``unknown``."""

    def play(setting: GossipVariant, seats: Sequence[Seat], dice: Dice) -> Rules:
        """The rules as they are, or with strangers in what is told."""
        inner = rules(setting, seats, dice)
        return inner if setting.partners == "known" else _among_strangers(inner)

    return play


def _among_strangers(inner: Rules) -> Rules:
    """The same match; what a pair is told names the other one by a number of this round alone.

    The event with both players is for onlookers: it is told to nobody, and comes first.
    """
    answers = None
    while True:
        try:
            move = inner.send(answers)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        if isinstance(move, Ask) or move.to is None:
            answers = yield move
            continue
        answers = None
        yield move._replace(to=())
        for seat in move.to:
            hidden = {key: _hidden(key, its, seat, move.round) for key, its in move.record.items()}
            yield move._replace(record=hidden, to=(seat,))


_STRANGER = 99
"""Higher than any seat: the stranger of the first round is Player 101, and so on."""
_ROLES = frozenset({"donor", "recipient", "investor", "responder"})


def _hidden(key: str, value: Any, seat: Seat, round: int) -> Any:
    """A field of a record for one of the pair, with a stranger in place of the other."""
    if key == "players":
        return [_hidden("donor", each, seat, round) for each in value]
    return _STRANGER + round if key in _ROLES and value != seat else value


Talk = Generator[Tell | Ask[Any], Any, dict[Seat, Record]]
"""A part of an encounter in which players write; it returns their records by seat."""


def self_reports(setting: GossipVariant, question: Ask[Any]) -> Talk:
    """The reports of the asked players, if the setting has any; nobody sees them yet."""
    if not setting.self_report or not question.seats:
        return {}
    return _without_reasons((yield from ask(question)))


def published(
    setting: GossipVariant,
    reports: Mapping[Seat, Record],
    about: Mapping[Seat, Seat],
    step: int,
    dice: Dice,
) -> Talk:
    """Lets the witnesses write at once, then publishes reports and messages.

    ``about`` maps each witness to its subject. Returns the message of each witness, as it was
    written: noise changes only what is published.
    """
    messages: dict[Seat, Record] = {}
    if setting.gossip is not None and about:
        messages = _without_reasons((yield from ask(gossip(setting.gossip, tuple(about), step))))
    for actor, report in reports.items():
        if None not in report.values():  # a fault reports nothing
            yield Tell("report", {"speaker": actor, "about": actor, **report}, round=step)
    for witness, words in messages.items():
        if words.get("signal", 0) is not None:
            line = {"speaker": witness, "about": about[witness], **words}
            if setting.gossip_noise and dice.chance(setting.gossip_noise):
                line |= _inverted(words)
            yield Tell("gossip", line, round=step)
    return messages


def _inverted(words: Record) -> Record:
    """The opposite signal; of a message the opposite tone without the words."""
    if "signal" in words:
        return {"signal": 1 - words["signal"]}
    opposite = {**dict.fromkeys(NEGATIVE, "praising"), **dict.fromkeys(POSITIVE, "criticism")}
    return {"tone": opposite.get(words["tone"], "neutral"), "message": ""}


def _without_reasons(answers: Mapping[Seat, Answer]) -> dict[Seat, Record]:
    return {
        seat: answer.model_dump(mode="json", exclude={"justification"})
        for seat, answer in answers.items()
    }


def talked(
    pair: tuple[Seat, Seat], reports: Mapping[Seat, Record], messages: Mapping[Seat, Record]
) -> Record:
    """Reports and messages of a pair, as stored in an outcome's facts."""
    return {
        "reports": [next(iter(reports.get(seat, {}).values()), None) for seat in pair],
        "told": [messages.get(seat, {}) for seat in pair],
    }


def played(
    setting: GossipVariant,
    seats: Sequence[Seat],
    rewards: Mapping[Seat, Sequence[tuple[int, float]]],
    encounters: Sequence[Record],
) -> Outcome:
    """The outcome of a match: each payoff is a discounted return, and nobody wins."""
    greedy = greedy_of(setting, seats)
    return Outcome(
        ending="played",
        payoffs=tuple(
            discounted(rewards[seat], setting.discount, setting.discount_by) for seat in seats
        ),
        roles=tuple("greedy" if seat in greedy else "player" for seat in seats),
        sides=sides(setting),
        facts={"encounters": list(encounters)},
    )
