"""The documents, held to the program."""
