"""Language models as agents: what they are asked, how they are reached, how they are read."""
