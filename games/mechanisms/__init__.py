"""Mechanisms over games of rounds: what can make selfish players cooperate."""

from parlour.games.mechanisms.over import with_mechanisms

__all__ = ["with_mechanisms"]
