"""The Textual app: it reads a save and talks to the runner; closing it changes nothing.

Start with ``app``. Imports go from app to ``screens``, from screens to ``views`` (data to text)
and ``widgets``, and from both to ``models`` (state without a screen). ``settings`` and ``text``
import none of these.
"""
