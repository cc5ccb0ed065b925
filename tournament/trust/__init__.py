"""Consent of the user to what a tournament of somebody else may do.

Begin with ``needs``, the facts that consent is given to. ``consent`` stores it, and refuses what
has none.
"""
