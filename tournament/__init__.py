"""Schedules, the runner and the save."""
