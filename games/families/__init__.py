"""Families: code that several games share.

Word games: ``word_games.py`` (clues, ballots, probes) and ``word_game_words.py`` (what people
read). Games of indirect reciprocity: ``gossip_games.py`` (pairings, gossip, discounting),
``gossip_words.py`` (what people read and see), ``gossip_counting.py``, and ``gossip.toml`` (what
their prompts tell). Games of rounds in which all decide at once: ``round_talk.py``. ``amounts.py``
computes with money, ``usage.py`` splits by use, and ``openings.py`` has first moves that ship with
a game.
"""
