"""Investment: its words, counts and metadata."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from parlour.games.engine.counting import Counting, Measure
from parlour.games.engine.events import Encounter, Event, PairAction, View
from parlour.games.engine.game import AskTexts, FieldTexts, Game, Hints, Sentence, Testing, Texts
from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.talk import Action
from parlour.games.engine.transcript import because, exact
from parlour.games.families import gossip_games as gossip
from parlour.games.families import gossip_words as words
from parlour.games.families.amounts import most_of_half
from parlour.games.families.gossip_counting import MEASURES, EncounterCounts
from parlour.games.investment.rules import Setting, Variant, encounter, given, pair, rules
from parlour.games.mechanisms import with_mechanisms


def _partner(view: View) -> Seat:
    met = view.told("encounter")[-1].record
    return Seat(met["responder"] if met["investor"] == view.seat else met["investor"])


def _invest(view: View) -> str:
    turn = view.told("turn")[-1].record
    other, own = player(turn["responder"]), exact(turn["investor_resources"])
    return (
        f"You meet {other}, who holds {exact(turn['responder_resources'])}; you hold {own}. What"
        f" you send arrives times {exact(view.rules['multiplier'])}."
        f" {words.seen_by(view, turn['responder'])} How much do you send, from 0 to {own}?"
    )


def _return(view: View) -> str:
    sent = view.told("investment")[-1].record
    other, received = player(sent["investor"]), exact(sent["received"])
    return (
        f"{other} held {exact(sent['investor_resources'])} and sent you"
        f" {exact(sent['investment'])}: {received} have arrived. You held"
        f" {exact(sent['responder_resources'])}. {words.seen_by(view, sent['investor'])} How much"
        f" do you give back, from 0 to {received}?"
    )


def _arrived(event: Event) -> str:
    record = event.record
    sent, received = exact(record["investment"]), exact(record["received"])
    return f"{player(record['investor'])} sends {sent} and {received} arrive"


def _paid(verb: str) -> Sentence:
    def sentence(event: Event) -> str:
        return f"{verb} {exact(event.record['amount'])}{because(event.record)}"

    return sentence


def _met(met: Record) -> str:
    sent = f"{exact(met['investment'])} of {exact(met['investor_resources'])}"
    returned = f"{exact(met['returned'])} of {exact(met['received'])}"
    investor, responder = player(met["investor"]), player(met["responder"])
    return f"{investor} invested {sent} in {responder} and got back {returned}"


_DECIDED = {"invest": "investment", "return": "returned"}
"""The field of an encounter that the answer to each kind of ask decides."""


def _actions(_met: Encounter | None, meeting: Sequence[Event]) -> list[Action]:
    """The payments as far as they are decided, each with the most that it could have been."""
    record: dict[str, Any] = {}
    for event in meeting:
        if event.kind in {"turn", "investment", "encounter"}:
            record |= event.record
        elif event.kind in _DECIDED:
            record[_DECIDED[event.kind]] = event.record["amount"]
    if "investor" not in record or "investment" not in record:
        return []
    reasons = words.reasons_in(meeting)
    return [
        _action(payment, record, reasons.get(payment.by, ""))
        for payment in encounter(record).actions
    ]


def _action(payment: PairAction, record: Record, reason: str) -> Action:
    invests = payment.kind == "invest"
    verb = "sends" if invests else "returns"
    most = record["investor_resources"] if invests else record["received"]
    sign = "·"
    if payment.helped is not None:
        sign = "+" if payment.helped else "-"
    done = f"{verb} {exact(float(payment.done))} of {exact(most)}"
    return Action(payment.by, done, sign=sign, share=payment.share, reason=reason)


def _stakes(rules: Record) -> str:
    return f"what is sent counts × {rules['multiplier']:g}"


def trust_is_sustained(keys: Mapping[str, Any]) -> bool:
    """True if grim trigger sustains investing everything and returning half.

    At a stake of 1 and multiplier m, a responder that returns nothing gains m/2 now. It forgoes
    m/2 - 1 as investor next time, m/2 as responder the time after, and so on. It stays with the
    plan if m/2 is at most (γ(m/2 - 1) + γ²m/2) / (1 - γ²), which is γ ≥ .63 at m = 3. An investor
    has less to gain by leaving the plan wherever this holds.
    """
    discount, half = keys["discount"], keys["multiplier"] / 2
    return gossip.sustained(keys, half <= discount * (half - 1) + 2 * discount * discount * half)


def planned(
    action: PairAction, met: Record, helps: bool, _resources: float, _keys: Mapping[str, Any]
) -> float:
    """The equilibrium player's payment; as the responder it has seen the investment."""
    if action.kind == "invest":
        return float(met["investor_resources"]) if helps else 0.0
    fair = 2 * met["investment"] >= met["investor_resources"]
    return most_of_half(met["received"]) if helps and fair else 0.0


PLAIN = Game(
    name="investment",
    version=2,
    folder=Path(__file__).parent,
    rules=gossip.with_unknown_partners(rules),
    record=gossip.NoRecord,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Investment",
        summary="Every pair meets once; trust the other with what you hold, or keep what you got.",
        endings=gossip.ENDINGS,
        kinds={
            **words.KINDS,
            "turn": "an investor learns whom it meets and what both hold",
            "invest": "how much the investor sends",
            "investment": "the responder learns what has arrived",
            "return": "how much of it the responder gives back",
        },
        sentences={
            **words.SENTENCES,
            "turn": lambda event: f"you meet {player(event.record['responder'])} as the investor",
            "investment": _arrived,
            "invest": _paid("invests"),
            "return": _paid("returns"),
            "encounter": words.encounter_sentence(encounter, _met),
        },
        published=gossip.PUBLISHED,
        family="gossip",
        phases={**words.PHASES, "invest": "invest", "return": "return"},
        pending={
            **words.PENDING,
            "invest": "decides what to send",
            "return": "decides what to return",
        },
        asks={
            **words.gossip_asks(_partner),
            "invest": AskTexts(_invest, {"amount": FieldTexts("I send")}),
            "return": AskTexts(_return, {"amount": FieldTexts("I give back")}),
        },
    ),
    seating=gossip.SEATING,
    scoring=gossip.SCORING,
    testing=Testing(
        test_variant={"agents_per_match": 2},
        facts_variant={"agents_per_match": 4},
        further_variants=gossip.STRANGERS,
    ),
    hints=Hints(
        encounter=encounter,
        sustains_cooperation=trust_is_sustained,
        rewards=gossip.rewards_of(encounter),
        rounds=gossip.encounter_rounds(
            encounter,
            pair,
            lambda rules: rules["endowment"] * rules["multiplier"],
            ["invest", "return"],
            given,
            stake=5.0,
        ),
    ),
    counting=Counting(
        match=EncounterCounts(
            encounter,
            Variant,
            trust_is_sustained,
            planned,
            shares={"invest": "invested", "return": "returned"},
        ),
        measures=(
            *MEASURES,
            Measure("investment_ratio", "invested", "amount", sliced=True, title="Invests"),
            Measure("return_ratio", "returned", "amount", sliced=True, title="Returns"),
        ),
        profile={"rationality": "as_theory"},
    ),
    board=words.gossip_board(encounter, pair, "Who trusted whom"),
    talk=words.gossip_talk(encounter, pair, _actions, _stakes),
)
GAME = with_mechanisms(PLAIN)
