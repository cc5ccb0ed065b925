"""The command line: the one place where the program is put together."""
