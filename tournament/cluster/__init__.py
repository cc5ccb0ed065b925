"""Runs on a cluster: workers on other machines that play scripted matches and call models."""
