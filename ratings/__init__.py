"""Who is good at what, and how surely: pure functions of match records."""
