"""The Python interface: tournaments played, saves opened, changed and read.

Read first `playing.py`: load a tournament, run it, open what was stored. `saves.py` adds to saves,
merges and splits them. `results.py` has the contents of a save as data frames, from the rows of
`tables.py` and the matches of `matches.py`; in `by_hand.py` a match is played by hand.
`comparing.py` compares the agents of a save, `store.py` keeps ratings over nights, `status.py` says
how far a save is, `export.py` writes its tables (`columns.py` has their columns, `database.py` the
file of DuckDB), `preferences.py` asks its models again and `word_probes.py` what they know by heart
(by `unstored.py`, which stores nothing), `auditing.py` plans a tournament in other wordings,
`bundling.py` makes one archive of it, and `calibrating.py` finds the settings of a game that
balance its roles.
"""
