"""Agents that are code of the user: a Python function, or an HTTP endpoint.

Begin with ``question``, the ask as plain data, which both kinds get. ``user_function`` finds a
function in a file, ``function_agent`` calls it, and ``http_endpoint`` posts the question.
"""
