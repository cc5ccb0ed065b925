-- One file holds one tournament.
CREATE TABLE tournament (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    spec TEXT NOT NULL,               -- the resolved tournament as canonical JSON
    created TEXT NOT NULL,            -- UTC, ISO 8601
    program TEXT NOT NULL             -- version of the program that made the save
) STRICT;

CREATE TABLE matches (
    number INTEGER PRIMARY KEY,       -- canonical place, from 1
    entry INTEGER NOT NULL,           -- which game block of the tournament
    game TEXT NOT NULL,
    condition TEXT NOT NULL,          -- variant keys that differ from the defaults
    setting INTEGER NOT NULL,         -- which record of the game block
    setting_key TEXT NOT NULL,        -- the record by its content: the cluster of ratings
    experiment TEXT NOT NULL,
    agents TEXT NOT NULL,             -- JSON: agent name of each seat
    counted TEXT NOT NULL,            -- JSON: seats that enter capabilities and win rates
    seed INTEGER NOT NULL,
    outcome TEXT,                     -- JSON once the match is over
    frozen TEXT                       -- why a match can no longer be replayed
) STRICT;

CREATE TABLE answers (
    seq INTEGER PRIMARY KEY,          -- grows with every durable answer
    match INTEGER NOT NULL,
    ask INTEGER NOT NULL,             -- how many asks came before it in the match
    seat INTEGER NOT NULL,
    kind TEXT NOT NULL,
    round INTEGER NOT NULL,
    value TEXT NOT NULL,              -- JSON of the answer, or of the fallback after a fault
    fault TEXT,                       -- class of the fault, if the fallback stands
    tries INTEGER NOT NULL,           -- attempts it took, from 1
    notes TEXT,                       -- JSON of the agent's notes, if any
    digest TEXT NOT NULL              -- fingerprint of the ask and of the asked seats' views
) STRICT;

CREATE UNIQUE INDEX answers_once ON answers (match, ask, seat);

CREATE TABLE leaderboards (
    seq INTEGER PRIMARY KEY,
    input TEXT NOT NULL,              -- fingerprint of the finished matches it was made from
    body TEXT NOT NULL                -- JSON
) STRICT;
