"""Doors to other frameworks: thin modules over ``parlour.env``, one a framework.

None of them is imported by the program, and each needs a package that is no part of an
installation: its page in docs/doors says which. Read first `pettingzoo.py`.
"""
