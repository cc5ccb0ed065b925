"""Games: rules as generators, pure, without clock, network or model.

``engine`` holds what every game is made of; begin with ``engine/moves.py`` (tell, ask, outcome) and
``engine/table.py`` (a match in play). Each game is one folder; ``undercover/rules.py`` is a good
one to read first. ``families`` holds what several games share, ``common`` errors and text, and
``testing`` the conformance suite. Imports go down: a game, families, engine, common.
"""
