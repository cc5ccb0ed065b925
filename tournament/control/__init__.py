"""Control of a runner from another process, over a Unix socket.

``server`` is in the runner, ``client`` in the commands and screens; ``requests`` has what they
send, ``status`` the reply to every command. ``launch`` starts a detached runner, ``set_budget``
changes a budget whether or not something runs.
"""
