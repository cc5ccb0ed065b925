"""Language models as agents.

Begin with ``agent`` (prompt to request to answer) and ``config`` (the agent block).
``deliberation`` has models that think before they answer. ``litellm_client`` and ``http_clients``
send the requests, ``client`` and ``answer_parser`` read what comes back, ``probes`` and
``endpoint_facts`` find out and keep what an endpoint can do, ``keys`` keeps API keys out of every
output.
"""
