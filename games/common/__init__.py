"""Common code that every room may import.

``errors.py`` has the errors that users can fix, ``text.py`` sanitises untrusted text,
``validation_messages.py`` puts pydantic's errors in plain words, ``suggestions.py`` helps with
misspelt names, and ``plugins.py`` loads what other packages bring. ``tables.py`` has the
type of all tables, whose cells have the forms of ``forms.py``. Long work says in ``progress.py``
how far it is.
"""
