"""Calls of models and the gate before every act.

Begin with ``gate`` (pause, step, pace, stop) and ``dispatch`` (the way of one call from request to
stored row: ``cache``, ``budget``, ``limits``, retries). ``limits`` has the queues before endpoints
(``endpoint_queue``), each with a circuit breaker and what the endpoint carries (``capacity``);
``errors`` says why a call cannot be made now.
"""
