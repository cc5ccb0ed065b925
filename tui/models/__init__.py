"""State without a screen: a save as watched, standings, a person's seat and its form.

``SaveView`` polls the save and the runner, and is the one to read first. Models import nothing
from the other rooms of the screens but ``look``.
"""
