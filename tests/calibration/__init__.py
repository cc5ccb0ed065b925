"""Calibration: real tournaments of identical agents, and how often what is printed parts them.

``python -m tests.calibration`` plays the plans of ``plans.py`` and renews the tables of
docs/inference.md. A tournament is played by ``playing.py``; ``figures.py`` counts and judges.
"""
