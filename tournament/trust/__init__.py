"""Consent of the user to what a stranger's tournament may do.

Begin with ``needs``, the facts that consent is given to. ``consent`` stores it, and refuses what
has none.
"""
