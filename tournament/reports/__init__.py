"""Reports about a tournament that need its plan or its save.

``leaderboards`` has the current leaderboard, ``conduct`` faults, calls and costs by agent,
``cost_estimate`` the expected cost of what is left to play, ``thoughts`` the agents' notes.
"""
