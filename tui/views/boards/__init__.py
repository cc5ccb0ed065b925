"""The board of a match as pictures: one file a family of kinds, each kind drawn once.

``boards`` lays the pictures of a match out; begin there.
"""
