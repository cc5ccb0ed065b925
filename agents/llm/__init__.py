"""Language models as agents.

Begin with ``agent`` (prompt to request to answer) and ``config`` (the agent block). ``scratchpad``
and ``deliberation`` think before they answer. ``litellm_client`` and ``openai_client`` send the
requests, ``message``, ``thinking`` and ``answer_parser`` read what comes back, ``keys`` keeps API
keys out of every output.
"""
