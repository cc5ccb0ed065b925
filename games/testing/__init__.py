"""Checks that every game must pass, here and in the tests of other packages.

Begin with ``conformance.py``: ``check_game(GAME)`` runs everything. ``secrecy.py`` checks views and
prompts, ``disclosure.py`` that prompts tell the game's ``facts.py`` and no others.
``playthrough.py`` plays whole matches by drawn answers. ``new_game.py`` writes the folder of a game
to begin with, from ``scaffold/``.
"""
