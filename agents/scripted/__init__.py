"""Scripted players: fixed rules that see only what a model would see.

``strategy`` has their base class. ``words`` and ``bayesian`` play word games from the clues of
``clue_bank``; ``dilemmas`` plays the social dilemmas, ``negotiators`` cost sharing.
"""
