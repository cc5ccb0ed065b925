"""Evidence on ranks that grows while matches are played, and the bouts that add most to it.

Pure functions of the scores of bouts; docs/adaptive.md states the method. `evidence.py` holds the
e-processes and the ranks that they decide, `standing.py` one tournament and its next bouts.
"""
