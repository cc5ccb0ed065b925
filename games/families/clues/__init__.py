"""Clues of the word games: the bank, what a clue tells of each word, and whether it is honest."""
