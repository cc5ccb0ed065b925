"""Merging and splitting: a new save made of matches of others.

Begin with ``merge`` and ``split``. ``copies`` says which saves have each match, and its new number
and place; ``taking`` takes over the matches and their answers, ``calls`` the calls of models.
"""
