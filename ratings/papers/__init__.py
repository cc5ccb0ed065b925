"""The tables and figures of the papers, as data (one TOML file a paper), filled from matches."""
