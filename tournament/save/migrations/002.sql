-- The journal: every call of a model, stored before its answer is used.
CREATE TABLE templates (
    digest TEXT PRIMARY KEY,          -- fingerprint of the text
    name TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE calls (
    seq INTEGER PRIMARY KEY,
    match INTEGER NOT NULL,
    ask INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    try INTEGER NOT NULL,             -- which try of the agent at this ask, from 1
    number INTEGER NOT NULL,          -- which call of that try, from 1
    attempt INTEGER NOT NULL,         -- which attempt at this call, from 1: a failed one is repeated
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt TEXT NOT NULL,             -- fingerprint of all that the model was sent
    templates TEXT NOT NULL,          -- JSON: fingerprints of the templates it was made from
    parameters TEXT NOT NULL,         -- JSON: those that the provider really took
    failure TEXT,                     -- kind of the provider's failure, if there was no answer
    message TEXT,                     -- and what the provider said, keys struck out
    text TEXT,
    thinking TEXT,
    finish TEXT,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    price REAL,                       -- US dollars, if known
    latency REAL NOT NULL,            -- seconds
    provider_id TEXT
) STRICT;

CREATE INDEX calls_of_ask ON calls (match, ask, seat);
