"""Provenance: where the matches and answers of a save come from, and whether they look sound.

Begin with ``remarks`` (what served the agents, which versions of the program played, and warnings
that they changed) and ``alarms`` (faults, refusals and other models than were asked).
``origins`` is the identity of matches that were taken over; ``model_names`` tells names apart.
"""
