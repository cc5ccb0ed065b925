"""Gossip between agents: who speaks ill of whom, of its messages about it."""

from collections import defaultdict

from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import Record
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.games.families.gossip_games import NEGATIVE
from parlour.ratings.counting.ties import Network, Tie


class Gossip:
    """Counts of messages; fallbacks and seats that the rules play are left out."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])

    def add(self, record: MatchRecord) -> None:
        """Counts one match."""
        read = find_game(record.game, f"match {record.number}").hints.encounter
        if read is None:
            return
        faulty = {(a.kind, a.round, a.seat) for a in record.answers if a.fault is not None}
        for step, met in enumerate(record.outcome.facts.get("encounters", ()), start=1):
            encounter = read(met)
            for speaker, message in encounter.messages.items():
                about = next(seat for seat in encounter.pair if seat != speaker)
                pair = record.agents[speaker], record.agents[about]
                published = message.get("tone") is not None or message.get("signal") is not None
                played = pair[0] != pair[1] and BUILT_IN not in pair
                if published and played and ("gossip", step, speaker) not in faulty:
                    self._counts[pair][0] += _is_ill(message)
                    self._counts[pair][1] += 1

    def network(self) -> Network:
        """Returns the ties counted so far."""
        return Network({pair: Tie(*pair, *numbers) for pair, numbers in self._counts.items()})


def _is_ill(message: Record) -> bool:
    return message.get("tone") in NEGATIVE or message.get("signal") == 0
