"""One file a screen; ``base`` has what all share, ``live`` is the largest.

A screen opens another one by posting a message of ``messages``. The app handles it, so screens
do not import each other or the app.
"""
