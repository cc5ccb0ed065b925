"""The save: one SQLite file with one tournament, and all SQL of the program.

Begin with ``reader`` (``Save``, which everybody but the runner uses) and ``writer`` (the runner's).
The file itself: ``schema.sql`` has the tables, ``database`` opens one, ``rows`` has the types of
the rows and the texts that they share, ``new_file`` makes files whole or not at all, ``lock``
keeps a save to one runner, ``directory`` finds saves, ``dealt`` knows their shards,
``bounds`` has the bounds of options, ``seals`` chain hashes over the rows.
``queries`` are those of reports and of the runner, ``finished`` those of finished matches,
``outline`` and ``summary`` what lists show, ``replay`` rebuilds matches.

Three rooms stand on it, each on the one before: ``growing`` (how a plan came to be), ``provenance``
(where answers come from, and alarms) and ``merging`` (merging and splitting). docs/save.md
describes the tables and the states of an answer.
"""
