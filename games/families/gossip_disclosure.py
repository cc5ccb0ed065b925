"""Disclosure in the games of indirect reciprocity: length, discounting, monitoring, gossip.

An infinite horizon is one only if nothing tells the number of players: every pair meets once.

Source: the gossip paper (ALIGN), appendix C.
"""

from collections.abc import Callable

from parlour.games.engine.disclosure import NOWHERE, Fact, Pattern, Reader, Where, amount
from parlour.games.engine.encounter import Encounter
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Record, player

FINITE = {"horizon": "finite"}
INFINITE = {"horizon": "infinite"}
GOSSIP = {"monitoring": "gossip"}
TONES = {**GOSSIP, "gossip": "tones"}
BINARY = {**GOSSIP, "gossip": "binary"}
CONVENTION = {**GOSSIP, "gossip": "binary_convention"}
REPORTS = {**GOSSIP, "self_report": True}
EQUILIBRIUM = {"equilibrium_knowledge": True}
PLAYERS_TOLD = (Where(keys=FINITE), Where(keys={"disclosure": "full"}))
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_GREEDY = r"\bgreedy\b|built in|by the rules|\bmachine|always defects|never gives"
_EXAMPLE = "Player 4 is greedy."
_JUSTIFICATION = "begin with (your|a short) justification, which nobody else will read"


def _steps(reader: Reader) -> int:
    players = len(reader.view.seats)
    return players * (players - 1) // 2


def _either(count: int) -> str:
    """The pattern of a count in digits or in words."""
    return rf"\b({count}|{_WORDS[count] if count < len(_WORDS) else count})"


def _players_hint(reader: Reader) -> str:
    players = len(reader.view.seats)
    all_of_them = rf"{_either(players)} (players(?! meet)|of you|participants)\b"
    return rf"{all_of_them}|{_either(players - 1)} others?\b"


def _length_hint(reader: Reader) -> str:
    steps, meetings = _steps(reader), len(reader.view.seats) - 1
    lengths = rf"{_either(steps)} (rounds|encounters)|{_either(meetings)} (times|encounters)"
    return rf"{lengths}|\bexactly \d+|\blast (round|encounter)|comes after them|round \d+ of"


def _discount(unit: str) -> Pattern:
    def said(reader: Reader) -> str:
        worth = amount(reader.setting.discount)
        return f"a reward that comes one {unit} later is worth {worth} times as much"

    return said


def _log_line(reader: Reader) -> str:
    last = reader.view.told("gossip")[-1]
    speaker, about = player(last.record["speaker"]), player(last.record["about"])
    return rf"the public log.*round {last.round}, {speaker} about {about}\b"


def gossip_facts(
    encounter: Callable[[Record], Encounter], acts: tuple[str, ...]
) -> tuple[Fact, ...]:
    """The facts of a game of encounters, in which players act at the asks of the kinds ``acts``."""

    def own(reader: Reader, event: Event) -> bool:
        return reader.view.seat in encounter(event.record).pair

    def has_met(reader: Reader) -> bool:
        return any(own(reader, event) for event in reader.view.told("encounter"))

    def others_have_met(reader: Reader) -> bool:
        return not all(own(reader, event) for event in reader.view.told("encounter"))

    def has_read(reader: Reader) -> bool:
        return bool(reader.view.told("gossip"))

    def has_note(reader: Reader) -> bool:
        """True if the seat gave a reason in an encounter that is over."""
        reasons = {event.round for event in reader.view.events if event.by is not None}
        ended = [event.round for event in reader.view.told("encounter") if own(reader, event)]
        return not reasons.isdisjoint(ended)

    return (
        Fact(
            "the number of players",
            lambda reader: f"one of {amount(len(reader.view.seats))} players in",
            PLAYERS_TOLD,
            _players_hint,
        ),
        Fact(
            "every two players meet only once",
            "every two players meet only once",
            PLAYERS_TOLD,
            r"only once|every (two|pair)|each pair|meet everybody",
        ),
        Fact(
            "nobody meets the same player again",
            "you never meet the same player again",
            (Where(keys={**INFINITE, "disclosure": "paper"}),),
        ),
        Fact(
            "the number of rounds",
            lambda reader: rf"exactly {_steps(reader)} rounds over all players, and nothing comes",
            (Where(keys=FINITE),),
            _length_hint,
        ),
        Fact(
            "the expected horizon is infinite",
            "without a fixed end: the expected horizon is infinite",
            (Where(keys=INFINITE),),
            "infinite|without a fixed end",
        ),
        Fact("a player cares about its own payoff only", "you care about your own payoff only"),
        Fact(
            "the discount of each of one's own encounters",
            _discount("of your encounters"),
            (Where(keys={"discount_by": "appearance"}),),
            "one of your encounters later",
        ),
        Fact(
            "the discount of each round",
            _discount("round"),
            (Where(keys={"discount_by": "step"}),),
            "one round later",
        ),
        Fact("which players are played by the rules", told=NOWHERE, hint=_GREEDY, example=_EXAMPLE),
        Fact(
            "whom one meets",
            r"it is round \d+\. you (are the \w+ and )?meet player \d+",
            (Where(acts),),
            r"you (are the \w+ and )?meet player",
        ),
        Fact(
            "one's own encounters, once there are some",
            "your own encounters so far: - round",
            (Where(once=has_met),),
        ),
        Fact(
            "one's own reasons then",
            'your own note: "a note"',
            (Where(keys={"reflection": True}, once=has_note),),
            "your own note",
        ),
        Fact(
            "everybody sees each action",
            "everybody sees what",
            (Where(keys={"monitoring": "public"}),),
            "everybody (sees|will see)",
        ),
        Fact(
            "the encounters of others, once there are some",
            "what everybody saw of the others: - round",
            (Where(keys={"monitoring": "public"}, once=others_have_met),),
            "of the others: - round",
        ),
        Fact(
            "only the two who meet see an action",
            "only the two who meet see what",
            (Where(keys=GOSSIP), Where(keys={"monitoring": "private"})),
        ),
        Fact(
            "nobody can tell the others",
            "nobody can tell the others",
            (Where(keys={"monitoring": "private"}),),
            "nobody can tell|will ever know",
        ),
        Fact(
            "who will know of the action to choose: all",
            "everybody will see what you",
            (Where(acts, keys={"monitoring": "public"}),),
        ),
        Fact(
            "who will know of the action to choose: nobody else",
            r"nobody but player \d+ will ever know what you",
            (Where(acts, keys={"monitoring": "private"}),),
        ),
        Fact(
            "who will know of the action to choose: all, by gossip",
            r"but player \d+ will publish (a message|a signal) about it for all to read",
            (Where(acts, keys=GOSSIP),),
            "will publish",
        ),
        Fact(
            "a message is published about the other",
            r"publish(es)? a message about the",
            (Where(keys=TONES),),
            "(publish|write)(es)? a message",
        ),
        Fact(
            "a signal is published about the other",
            r"publish(es)? a signal about the",
            (Where(keys=BINARY), Where(keys=CONVENTION)),
            "a signal",
        ),
        Fact(
            "gossip changes no payoff",
            "everybody can read from then on and which changes no payoff by itself",
            (Where(keys=GOSSIP),),
        ),
        Fact(
            "players may act later on what was published",
            "in later rounds players may act on what was published before",
            (Where(keys=GOSSIP),),
            "act on what",
        ),
        Fact(
            "nobody can return what it gained",
            told=NOWHERE,
            hint=r"\brepay|return the favou?r|pay (you )?back",
            example="Whoever gains by you can never repay you.",
        ),
        Fact(
            "a signal is 0 or 1, without a meaning",
            "a signal is 0 or 1; what the two mean is not laid down",
            (Where(keys=BINARY),),
        ),
        Fact(
            "the meaning of the signals",
            "1 is good, 0 is bad",
            (Where(keys=CONVENTION),),
            "1 (is|for|means) good|0 (is|for|means) bad",
        ),
        Fact(
            "the five tones and the longest message",
            r"at most 150 words.*- praising:.*- neutral:.*- mocking:.*- complaint:.*- criticism:",
            (Where(("gossip",), keys=TONES),),
            "150 words|- praising:",
        ),
        Fact(
            "what was published, once something was",
            _log_line,
            (Where(keys=GOSSIP, once=has_read),),
            "the public log",
        ),
        Fact(
            "players report their own actions",
            "also publishes a report|too, publishes a report",
            (Where(keys=REPORTS),),
            "a report",
        ),
        Fact(
            "nobody checks a report",
            "nobody checks whether it is true",
            (Where(keys=REPORTS),),
            "nobody checks",
        ),
        Fact(
            "how to find an equilibrium of an infinite game",
            "subgame-perfect equilibrium: by the one-shot deviation principle",
            (Where(keys={**EQUILIBRIUM, **INFINITE}),),
            "one-shot deviation",
        ),
        Fact(
            "how to find an equilibrium of a finite game",
            "subgame-perfect equilibrium: by backward induction",
            (Where(keys={**EQUILIBRIUM, **FINITE}),),
            "backward induction",
        ),
        Fact(
            "the justification says why the choice fits an equilibrium",
            "say why your choice fits a subgame-perfect equilibrium",
            (Where(keys=EQUILIBRIUM),),
            "equilibrium",
        ),
        Fact("the justification comes first and stays private", _JUSTIFICATION),
    )
