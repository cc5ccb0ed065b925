"""Data in, text out: matches, ballots, rounds, gossip, beliefs, standings and money.

Views hold no state and import no widget and no screen. ``match`` is the one to read first.
"""
