"""Files of a paper's tables and figures: the tables as text, the figures drawn."""
