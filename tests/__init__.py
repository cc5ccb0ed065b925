"""The tests, one folder a room, and what cuts across rooms beside them."""
