"""The runner: plays the matches of a save side by side.

Begin with ``runner`` (which match is played next, and whether the budget holds it), ``match`` (one
match) and ``turn`` (one answer).
Agents that answer at once: ``quick_turn`` (their answer), ``fast_lane`` (their matches here) and
``pool`` (on all cores), with its ``workers`` and ``worker``, which plays in their processes.
``upcoming`` reads the plan in windows, ``parking`` keeps matches whose provider fails, ``people``
asks people at screens, whose matches begin first. ``state`` has the words for a run, ``stats``
counts what has happened, ``forecast`` estimates the rest.
"""
