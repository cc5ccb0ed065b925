"""The engine: what a game is made of and how a match is played.

Begin with ``moves.py`` (what rules yield) and ``table.py`` (a match in play). ``game.py`` is the
metadata that a game's folder exports, with settings and variants, ``board.py`` (pictures) and
``counting.py`` (counts and measures). ``transcript.py`` puts events in words, ``prompts.py`` fills
templates, ``wordings.py`` has other wordings, ``registry.py`` finds games.
"""
