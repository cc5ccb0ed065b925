"""Families: code that several games share.

Word games: ``word_games.py`` (clues, ballots, probes), ``word_sentences.py`` and ``word_talk.py``.
Games of indirect reciprocity: ``gossip_games.py`` (pairings, gossip, discounting),
``gossip_sentences.py``, ``gossip_board.py``, ``gossip_talk.py`` and ``gossip_counting.py``.
Games of rounds in which all decide at once: ``round_talk.py``. ``amounts.py`` computes with money.
"""
