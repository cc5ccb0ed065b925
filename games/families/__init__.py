"""Families: code that several games share.

Word games: ``word_games.py`` (clues, ballots, probes) and ``word_sentences.py``. Games of
indirect reciprocity: ``gossip_games.py`` (pairings, gossip, discounting), ``gossip_sentences.py``,
``gossip_board.py`` and ``gossip_counting.py``. ``amounts.py`` computes with money.
"""
