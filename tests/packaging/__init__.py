"""Parlour built, installed and run as a user gets it.

``test_wheel`` is part of every run; ``test_installs`` installs with pip, uv and pipx on each Python
that is there, takes minutes and needs a package index.
"""
