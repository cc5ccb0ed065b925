"""The command line: one module a command, named like it.

Begin with ``app.py``, which lists the commands, and then read the module of one. ``playing.py``
and ``steering.py`` have what the commands that play and steer share, ``output.py`` and
``console_tables.py`` what all print with. What is not about the command line is in
``parlour/api.py`` and the rooms below.
"""
