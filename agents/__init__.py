"""Who answers an ask: scripted players, and whatever other packages bring."""
