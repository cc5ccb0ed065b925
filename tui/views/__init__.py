"""Data in, text out: matches, ballots, rounds, gossip, beliefs, standings and money.

Views hold no state and import no widget and no screen. ``scene``, a match with its people and its
look, is the one to read first.
"""
