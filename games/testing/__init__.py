"""Checks that every game must pass, for its own package's tests as well as for ours."""
