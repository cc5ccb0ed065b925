"""Tournaments: planned, played, stored, controlled and reported.

Begin with ``session``, which plays a save from beginning to end. The rooms, each of which may use
those after it: ``control`` (other processes steer a run), ``cluster`` (a run on several machines),
``run`` (matches side by side), ``calls`` (models are called), ``save`` (one SQLite file per
tournament), ``trust`` (what a stranger's tournament may do), ``plan`` (tournament file to
schedule). ``reports`` reads saves.
"""
