"""The save: one SQLite file with one tournament, and all SQL of the program.

Begin with ``reader`` (``Save``, which everybody but the runner uses) and ``writer`` (the runner's).
``rows`` has the types of the rows, ``bounds`` the bounds of run options, ``queries`` the queries of
reports and of the runner. ``create`` makes a save, ``database`` opens and migrates one, ``lock``
keeps it to one runner, ``replay`` rebuilds its matches. docs/save.md describes the tables and the
states of an answer.
"""
