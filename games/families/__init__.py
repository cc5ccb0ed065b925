"""Families: code that several games share.

Word games: ``word_games.py`` (clues, ballots, probes), ``word_game_words.py`` (what people read)
and ``word_disclosure.py``. Games of indirect reciprocity: ``gossip_games.py`` (pairings, gossip,
discounting), ``gossip_words.py``, ``gossip_board.py``, ``gossip_counting.py`` and
``gossip_disclosure.py``. Games of rounds in which all decide at once: ``round_talk.py`` and
``round_disclosure.py``. ``amounts.py`` computes with money, ``usage.py`` splits by use, and
``openings.py`` has first moves that ship with a game.
"""
