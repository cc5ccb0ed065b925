"""Fuzzing: damaged saves, files, messages and replies. Short by default, long with ``-m soak``.

Inputs are drawn with Hypothesis, the same ones each time; inputs that once broke something are
kept beside the tests that found them.
"""
