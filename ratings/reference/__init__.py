"""The reference pool: scripted players of known strength, and the place of a newcomer among them.

Begin with `scale.py`, which reads the frozen pool in `data/pool.json`; `placing.py` estimates a
newcomer's strength on its scale. Uses `skill`.
"""
