"""Reports about a tournament that need its plan or its save.

Begin with ``leaderboards``, the current leaderboard, which adds up ``counted_matches``. ``conduct``
has faults, calls and costs by agent, ``cost_estimate`` the expected cost of what is left to play,
``thoughts`` the agents' notes, ``prompts`` what each model was sent, ``power`` the designs of which
``plan`` says what they can detect, ``growth_history`` how the tournament grew, ``difference`` what
differs between two saves, and ``checking`` the check of a whole save on all cores.
"""
