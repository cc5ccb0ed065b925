"""Agents: language models, scripted strategies, user code and people.

Begin with ``base``, the interface, and ``registry``, which makes agents from tournament files.
``llm`` has the models, ``scripted`` the strategies, ``user_code`` functions and objects of users,
``human`` people. ``model_calls`` are requests to models and their completions.
"""
