"""Growing: how the plan of a save came to be, from its first match to the last addition.

Begin with ``create`` (a new save) and ``grow`` (an addition to one). ``stages`` has the rows that
say what was planned when, ``decisions`` those of the adaptive schedule. ``fork`` makes a save of
one match that is played on in another way, ``retire`` closes the matches of an agent. ``check``
plans and replays everything again.
"""
