"""From a tournament file to the list of its matches.

Begin with ``model`` (a resolved tournament) and ``loader`` (reads files and presets into one).
``expansion`` puts in what a file includes, its defaults and the environment.
``schema`` has the forms of the file, ``validation`` its refusals, ``toml_source`` the text and
its line numbers. ``schedule`` lists the matches; ``blocks`` seats the agents of games in blocks
and says where a plan cannot be balanced.
A plan that becomes larger: ``growth`` (its stages), ``additions`` (files that add to it),
``merging`` (one tournament of several). ``rating`` is what a newcomer plays for its rating.
"""
