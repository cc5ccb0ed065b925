"""Words and pictures of the games of indirect reciprocity: questions, sentences, talk, board."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, groupby

from parlour.games.engine import board, talk
from parlour.games.engine.events import GENERATION, Encounter, Event, View
from parlour.games.engine.game import AskTexts, FieldTexts, Sentence
from parlour.games.engine.moves import Outcome, Record, Seat, player
from parlour.games.engine.transcript import because, exact, quoted
from parlour.games.families.gossip_games import NEGATIVE, POSITIVE, PUBLISHED

MEETINGS = frozenset({"turn", "encounter"})
Read = Callable[[Record], Encounter]
Pair = Callable[[Record], tuple[Seat, Seat]]

_ACTION_WORDS = {"cooperate": "help (cooperate)", "defect": "give nothing (defect)"}
ACTION = FieldTexts("My choice", options=_ACTION_WORDS)
_SIGNALS = {
    "binary_convention": "1 is good, 0 is bad.",
    "binary": "0 or 1; what the two mean is not laid down.",
}


def seen_by(view: View, other: Seat) -> str:
    """A sentence on who learns of an action towards another player."""
    rules = view.rules
    if rules["monitoring"] == "public":
        return "Everybody will see what you do."
    if rules["monitoring"] == "private":
        return f"Only {player(other)} will know what you do."
    words = "a message" if rules["gossip"] == "tones" else "a signal"
    return f"Only {player(other)} will see it, and then publish {words} about it."


def gossip_asks(partner: Callable[[View], Seat]) -> Mapping[str, AskTexts]:
    """The questions that these games have in common.

    ``partner`` reads from a view whom the seat has just met.
    """

    def publish(view: View) -> str:
        """The question for a tone and words, or for a signal."""
        about = player(partner(view))
        meaning = _SIGNALS.get(view.rules["gossip"])
        if meaning is None:
            return f"Tell everybody about {about}: a tone, and at most 150 words in it."
        return f"Publish a signal about {about} for all to read: {meaning}"

    reported = FieldTexts("I report", options={"cooperate": "I helped", "defect": "I gave nothing"})
    return {
        "gossip": AskTexts(
            publish,
            {
                "tone": FieldTexts("Tone"),
                "message": FieldTexts("Your message"),
                "signal": FieldTexts("Your signal"),
            },
        ),
        "report": AskTexts(
            lambda _view: "Report to everybody what you did. Nobody checks whether it is true.",
            {"action": reported, "amount": FieldTexts("I report that I gave")},
        ),
    }


def action_sentence(event: Event) -> str:
    """A choice to help or not, with its private reason."""
    return f"chooses to {event.record['action']}{because(event.record)}"


def report_sentence(event: Event) -> str:
    """A report of the own action or payment; no text for a fault."""
    record = event.record
    if "amount" in record:
        amount = record["amount"]
        reported = "nothing" if amount is None else f"gave {exact(amount)}"
    else:
        reported = record["action"] or "nothing"
    speaker = f"{player(record['speaker'])} " if "speaker" in record else ""
    return f"{speaker}reports of itself: {reported}{because(record)}"


def gossip_sentence(event: Event) -> str:
    """A message about the other: as the own answer, or as everybody reads it."""
    record = event.record
    if "signal" in record:
        message = f"signal {record['signal']}"
    else:
        message = f"{record['tone']} {quoted(record['message'])}"
    if "speaker" not in record:
        return f"tells {message}{because(record)}"
    return f"{player(record['speaker'])} about {player(record['about'])}: {message}"


def encounter_sentence(
    read: Callable[[Record], Encounter], in_words: Callable[[Record], str]
) -> Sentence:
    """A sentence for a meeting of two players, with each player's gain or loss."""

    def sentence(event: Event) -> str:
        met = read(event.record)
        gains = (
            f"{player(seat)} gets {exact(reward)}"
            for seat, reward in zip(met.pair, met.rewards, strict=True)
        )
        return f"{in_words(event.record)}: {' and '.join(gains)}"

    return sentence


SENTENCES: Mapping[str, Sentence] = {"report": report_sentence, "gossip": gossip_sentence}
KINDS: Mapping[str, str] = {
    "rules": "what all players are told of the game",
    "report": "what a player publishes of its own action",
    "encounter": "what happened, as those who may see it learn it",
    "gossip": "what a player tells everybody about the other",
}
"""The sentences and the meaning of events that all games of indirect reciprocity have."""
PHASES: Mapping[str, str] = {"report": "reports", "gossip": "gossip"}
"""A word for each kind of ask of all games of indirect reciprocity: where the match is."""
PENDING: Mapping[str, str] = {"report": "reports its own action", "gossip": "weighs its words"}
"""The words for a player that has not answered yet, by kind of ask."""


def for_onlookers(events: Sequence[Event]) -> list[Event]:
    """The events without what pairs were told of a stranger, where it is known who that was."""
    known = {(e.kind, e.round) for e in events if e.by is None and e.to == ()}
    return [e for e in events if e.by is not None or not e.to or (e.kind, e.round) not in known]


Actions = Callable[[Encounter | None, Sequence[Event]], Sequence[talk.Action | talk.Chosen]]
"""The actions of a meeting, from its encounter (None before it is told) and all its events."""


def gossip_talk(
    read: Read, pair: Pair, actions: Actions, stakes: Callable[[Record], str]
) -> talk.MakeTalk:
    """The conversation of a game of encounters.

    ``read`` and ``pair`` read its events, ``actions`` makes the lines of a meeting, and
    ``stakes`` puts in words what the rules pay.
    """

    def conversation(
        seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
    ) -> tuple[talk.TalkItem, ...]:
        """All meetings in their order, each with its actions and what is said of them."""
        rules: Record = events[0].record if events else {}
        items: list[talk.TalkItem] = []
        for round, group in groupby(for_onlookers(events), lambda event: event.round):
            meeting = list(group)
            handed = [event for event in meeting if event.kind in {"hand_on", GENERATION}]
            meeting = [event for event in meeting if event not in handed]
            if round == 0:
                # Whom the number of players is not told, the length of the match is not either.
                number = rules.get("players") if outcome is None else len(seats)
                players = f"{talk.number_word(number)} players, every" if number else "Every"
                items.append(talk.Note(f"{players} pair meets once · {stakes(rules)}"))
                continue
            encounter = met_in(meeting, round, read)
            items.append(_heading(round, meeting, encounter, pair))
            answers = [event for event in meeting if event.kind not in PUBLISHED]
            items += [*talk.fault_lines(answers), *actions(encounter, meeting)]
            items += [*_written(meeting, rules, encounter), *_handed_on(handed)]
        if outcome is not None:
            items.append(talk.Ending(_ending(outcome)))
        return tuple(items)

    return conversation


def _heading(
    round: int, meeting: Sequence[Event], encounter: Encounter | None, pair: Pair
) -> talk.Heading:
    """The round and who meets; a seat that only hears of a meeting knows who wrote of whom."""
    turn = next((event for event in meeting if event.kind == "turn"), None)
    if turn is not None:
        one, other = pair(turn.record)
    elif encounter is not None:
        one, other = encounter.pair
    else:
        heard = (event for event in meeting if event.kind == "gossip" and event.by is None)
        gossip = next(heard, None)
        if gossip is None:
            return talk.Heading(f"round {round}")
        one, other = gossip.record["about"], gossip.record["speaker"]
    return talk.Heading(f"round {round}", f"· {player(one)} meets {player(other)}")


def _written(
    meeting: Sequence[Event], rules: Record, encounter: Encounter | None
) -> Iterator[talk.TalkItem]:
    """Yields what was published in a meeting, and what is written and yet to be published."""
    written = [event for event in meeting if event.kind in PUBLISHED]
    published = {(event.kind, event.record["speaker"]) for event in written if event.by is None}
    reasons: dict[tuple[str, Seat], str] = {}
    faulty: set[tuple[str, Seat]] = set()
    for event in written:
        if event.by is None:
            answer = event.kind, event.record["speaker"]
            if answer not in faulty:
                yield _said(event, rules, encounter, reasons.get(answer, ""))
        elif event.fault is not None:
            faulty.add((event.kind, event.by))
            yield from talk.fault_lines([event], "it publishes nothing")
        else:
            reasons[event.kind, event.by] = talk.reason_of(event.record)
            if (event.kind, event.by) not in published:
                verb = "reported" if event.kind == "report" else "written"
                yield talk.Chosen(event.by, f"has {verb}")


def _handed_on(handed: Sequence[Event]) -> Iterator[talk.TalkItem]:
    """Yields the strategies that are handed on, and the generation that begins with them."""
    yield from talk.fault_lines(handed, "it hands on nothing")
    for event in handed:
        if event.by is None:
            yield talk.Note(f"generation {event.record['number']} begins")
        elif event.fault is None:
            yield talk.Said(event.by, event.record["strategy"], label="hands on:")


def _said(event: Event, rules: Record, encounter: Encounter | None, reason: str) -> talk.Said:
    item = feed_item(event, rules, encounter)
    if event.kind == "report":
        label = f"reports of itself: {_REPORTS.get(item.text, item.text)}"
        return talk.Said(item.speaker, "", label=label, true=item.true, reason=reason)
    return talk.Said(item.speaker, item.text, item.about, item.sign, item.tone, item.true, reason)


_REPORTS = {"cooperate": "helped", "defect": "refused"}


def help_actions(
    encounter: Encounter, meeting: Sequence[Event], result: Callable[[Encounter, Seat], str]
) -> list[talk.Action]:
    """The actions of a meeting in which players help or refuse; ``result`` is what came of one."""
    reasons = reasons_in(meeting)
    return [
        help_action((each.by, each.to), bool(each.helped), reasons, result(encounter, each.by))
        for each in encounter.actions
    ]


def help_stakes(rules: Record) -> str:
    """The cost of help, and what it brings."""
    return f"help costs {rules['cost']:g} and brings {rules['benefit']:g}"


def help_action(
    pair: tuple[Seat, Seat], helped: bool, reasons: Mapping[Seat, str], result: str = ""
) -> talk.Action:
    """The help or refusal of the first of a pair."""
    by, to = pair
    words, sign = ("helps", "+") if helped else ("refuses", "-")
    return talk.Action(by, words, to, sign, result=result, reason=reasons.get(by, ""))


def reasons_in(meeting: Sequence[Event]) -> dict[Seat, str]:
    """The private reasons for the actions of a meeting."""
    return {
        event.by: talk.reason_of(event.record)
        for event in meeting
        if event.by is not None and event.kind not in PUBLISHED
    }


def _ending(outcome: Outcome) -> str:
    """The player that has most, or that all have the same."""
    most = max(outcome.payoffs)
    best = [player(seat) for seat, payoff in enumerate(outcome.payoffs) if payoff == most]
    if len(best) == len(outcome.payoffs):
        return "every pair has met, and all have earned the same"
    return f"every pair has met, and {' and '.join(best)} earned most"


def gossip_board(read: Read, pair: Pair, title: str = "Who helped whom") -> board.MakeBoards:
    """The board of a game whose encounters ``read`` understands.

    ``pair`` reads who meets from the event that opens an encounter.
    """

    def pictures(
        seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
    ) -> tuple[board.Board, ...]:
        """The matrix of encounters, its cells as a ring, and the feed of gossip."""
        rules: Record = events[0].record if events else {}
        begun = [place for place, event in enumerate(events) if event.kind == GENERATION]
        events = events[begun[-1] :] if begun else events
        # Where partners are unknown, those who meet are told of a stranger, who has no place here.
        events = [e for e in events if e.kind not in MEETINGS or max(pair(e.record)) < len(seats)]
        items = [
            feed_item(event, rules, met_in(events, event.round, read))
            for event in events
            if event.kind in PUBLISHED and event.by is None
        ]
        met = [read(event.record) for event in events if event.kind == "encounter"]
        actions = list(chain.from_iterable(encounter.actions for encounter in met))
        meeting = () if outcome is not None else _meeting(events, pair)
        holdings = dict.fromkeys(seats, float(rules.get("endowment", 0)))
        for each in met:
            for seat, reward in zip(each.pair, each.rewards, strict=True):
                holdings[seat] += reward
        acts = [
            board.Arrow(action.by, action.to, action.helped, action.share) for action in actions
        ]
        matrix = board.HelpMatrix(
            title,
            tuple(acts),
            "holds" if "endowment" in rules else "earned",
            tuple(holdings.values()),
            tuple("".join(_known_of(seat, events, rules, read)) for seat in seats),
            meeting,
            _ratios(len(seats), met, items),
        )
        helped = tuple(act for act in acts if act.good is not None)
        return (
            matrix,
            board.Ring("Help", helped, marked=meeting, again=True),
            board.Feed("Gossip", tuple(items)),
        )

    return pictures


def _meeting(events: Sequence[Event], pair: Pair) -> tuple[Seat, ...]:
    """The pair whose encounter has begun and whose action is yet to be told."""
    for event in reversed(events):
        if event.kind == "encounter":
            return ()
        if event.kind == "turn":
            return pair(event.record)
    return ()


def _ratios(
    players: int, met: Sequence[Encounter], items: Sequence[board.FeedItem]
) -> tuple[board.Ratio, ...]:
    """Encounters so far, how many of their actions helped, and untrue messages."""
    actions = chain.from_iterable(encounter.actions for encounter in met)
    helped = [action.helped for action in actions if action.helped is not None]
    ratios = [
        board.Ratio("met", len(met), players * (players - 1) // 2),
        board.Ratio("helped", sum(helped), len(helped)),
    ]
    if items:
        untrue = sum(item.true is False for item in items)
        ratios.append(board.Ratio("untrue", untrue, len(items), bad=True))
    return tuple(ratios)


def met_in(events: Sequence[Event], round: int, read: Read) -> Encounter | None:
    """The encounter of a round, None as long as it is not told."""
    met = (event for event in events if event.kind == "encounter" and event.round == round)
    first = next(met, None)
    return None if first is None else read(first.record)


def feed_item(event: Event, rules: Record, met: Encounter | None) -> board.FeedItem:
    """A published message or report, checked against the encounter that it is about."""
    record = event.record
    speaker, about = record["speaker"], record["about"]
    action = met.action_of(about) if met is not None else None
    true: bool | None = None
    if event.kind == "report":
        reported = record["action"] if "action" in record else record["amount"]
        text = reported if isinstance(reported, str) else f"gave {exact(reported)}"
        if action is not None:
            true = bool(reported == action.done)
        return board.FeedItem(event.round, speaker, about, "", text, true)
    tone = record["tone"] if "tone" in record else f"signal {record['signal']}"
    sign = _sign(record, rules)
    if action is not None and action.helped is not None and sign != "·":
        true = (sign == "+") == action.helped
    return board.FeedItem(event.round, speaker, about, tone, record.get("message", ""), true, sign)


def _sign(record: Record, rules: Record) -> str:
    """+ for a good word, - for a bad one, · for what is neither.

    A signal is a word only under the convention that 1 is good.
    """
    tone, signal = record.get("tone"), record.get("signal")
    if tone in POSITIVE:
        return "+"
    if tone in NEGATIVE:
        return "-"
    if signal is not None and rules.get("gossip") == "binary_convention":
        return "+" if signal == 1 else "-"
    return "·"


def _known_of(seat: Seat, events: Sequence[Event], rules: Record, read: Read) -> Iterator[str]:
    """Signs of what everybody knows of a seat: gossip, and actions under public monitoring."""
    for event in events:
        if event.kind == "gossip" and event.by is None and event.record["about"] == seat:
            yield _sign(event.record, rules)
        elif event.kind == "encounter" and event.to is None:
            action = read(event.record).action_of(seat)
            if action is not None and action.helped is not None:
                yield "+" if action.helped else "-"
