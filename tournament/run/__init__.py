"""The runner: plays the matches of a save side by side.

Begin with ``runner`` (which match is played next), ``match`` (one match) and ``turn`` (one
answer); ``fast_lane`` plays agents that answer at once. ``parking`` keeps matches whose provider
fails, ``people`` asks people at screens, and ``stats`` and ``forecast`` count what has happened and
estimate the rest.
"""
