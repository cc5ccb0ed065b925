"""Control of a runner from another process, over a Unix socket.

Begin with ``server`` (in the runner) and ``client`` (in the commands and screens); ``requests`` has
what they send, ``status`` the reply to every command. ``changes`` changes a save whether or not
something runs it, ``launch`` starts a detached runner. ``watch`` keeps the heartbeat and the
``run_log`` of a run. ``hooks`` are the user's commands that a run calls, ``metrics`` the file with
its counts.
"""
