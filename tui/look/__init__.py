"""Colours, signs and identity of people, and the small drawings that panes are put together from.

Nothing outside this room names a colour. ``look.py`` is the one to read first.
"""
