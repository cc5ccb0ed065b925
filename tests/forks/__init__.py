"""Commands forked from a warm interpreter instead of started: 0.05 s each instead of 0.4 to 1.4.

``server`` is a process that has Parlour imported and forks itself for each request. ``popen``
replaces ``subprocess.Popen``, so that tests and the program go on starting commands as always.
``client`` does the same for a shell. Each command is still a process of its own, with its own
folder, environment, session and streams; only the imports are shared.

``really_started`` is for tests of the start itself.
"""
