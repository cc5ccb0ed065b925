"""The Textual app: a client that reads the save and talks to the runner."""
