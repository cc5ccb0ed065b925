-- Counts of finished matches, so that each is counted once.
CREATE TABLE counts (
    seq INTEGER PRIMARY KEY,
    version TEXT NOT NULL,            -- of the definitions behind the counts
    body BLOB NOT NULL                -- what was counted since the block before
) STRICT;
