"""Language models as agents.

Begin with ``agent`` (prompt to request to answer) and ``config`` (the agent block). ``scratchpad``
and ``deliberation`` think before they answer. ``litellm_client`` and ``openai_client`` send the
requests, ``answer_parser`` reads the answers, ``keys`` keeps API keys out of every output.
"""
