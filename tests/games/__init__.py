"""The rules and what they stand on."""
