"""The rules: one folder a game, pure, without clock, network or model."""
