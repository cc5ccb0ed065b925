-- The tables of a save: one file holds one tournament. docs/save.md describes every column.
-- Statements are separated by blank lines.

CREATE TABLE tournament (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    spec TEXT NOT NULL,               -- the resolved tournament as canonical JSON
    created TEXT NOT NULL,            -- UTC, ISO 8601
    program TEXT NOT NULL,            -- version of the program that made the save
    save_id TEXT NOT NULL
) STRICT;

-- Growth only appends: the tournament of a stage is a beginning of that of the last one.
CREATE TABLE stages (
    number INTEGER PRIMARY KEY,       -- from 1, which is the plan that the save began with
    kind TEXT NOT NULL,               -- planned, added, extended, merged or split
    since TEXT NOT NULL,              -- UTC, ISO 8601
    program TEXT NOT NULL,            -- version of the program that planned it
    last_match INTEGER NOT NULL,      -- highest number of a match by then
    body TEXT NOT NULL                -- JSON: agents, games and repetitions by then; what was asked
) STRICT;

-- The saves that matches were merged or split from; a match of this save's own plan has none.
CREATE TABLE origins (
    number INTEGER PRIMARY KEY,
    save TEXT NOT NULL UNIQUE,        -- its save_id
    name TEXT NOT NULL,
    created TEXT NOT NULL,
    program TEXT NOT NULL,
    shift INTEGER NOT NULL            -- what its matches' places have here beyond those there
) STRICT;

-- Decisions of the adaptive schedule, each the reason of some matches, and when to stop.
CREATE TABLE decisions (
    seq INTEGER PRIMARY KEY,
    first_match INTEGER NOT NULL,
    last_match INTEGER NOT NULL,
    body TEXT NOT NULL                -- JSON
) STRICT;

-- The versions of the program that went on with a save that another one made.
CREATE TABLE programs (
    number INTEGER PRIMARY KEY,
    since TEXT NOT NULL,              -- UTC, ISO 8601
    program TEXT NOT NULL,
    last_answer INTEGER NOT NULL      -- seq of the newest answer before
) STRICT;

-- Keys of models that were changed between answers.
CREATE TABLE changes (
    number INTEGER PRIMARY KEY,
    since TEXT NOT NULL,              -- UTC, ISO 8601
    agent TEXT NOT NULL,
    last_answer INTEGER NOT NULL,     -- seq of the newest answer before
    body TEXT NOT NULL                -- JSON: the keys, each with its value until then
) STRICT;

-- How it was last played; null is the program's own choice.
CREATE TABLE control (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    concurrency INTEGER,              -- matches at once
    pace REAL,                        -- asks a second, at most
    limits TEXT NOT NULL DEFAULT '[]',          -- JSON: what may be asked of each endpoint
    budget REAL,                      -- US dollars
    agent_budgets TEXT NOT NULL DEFAULT '{}',   -- JSON: US dollars by agent
    until TEXT                        -- when an adaptive tournament stops
) STRICT;

INSERT INTO control (id) VALUES (1);

-- What calls can cost that were sent and whose end is not known.
CREATE TABLE reservations (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    dollars REAL NOT NULL,            -- the most that the call can cost
    match INTEGER NOT NULL,
    ask INTEGER NOT NULL,
    seat INTEGER NOT NULL
) STRICT;

CREATE TABLE leaderboards (
    seq INTEGER PRIMARY KEY,
    input TEXT NOT NULL,              -- fingerprint of the finished matches it was made from
    body TEXT NOT NULL                -- JSON
) STRICT;

-- Counts of finished matches, so that each is counted once.
CREATE TABLE counts (
    seq INTEGER PRIMARY KEY,
    version TEXT NOT NULL,            -- of the definitions behind the counts
    body BLOB NOT NULL                -- what was counted since the block before
) STRICT;

-- Texts that many rows repeat, each stored once under a number. In the tables below, a column of
-- type ANY has the number of its text, or the text itself; a digest is binary.
CREATE TABLE texts (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE stored_matches (
    number INTEGER PRIMARY KEY,       -- from 1
    entry INTEGER NOT NULL,           -- which game block of the tournament
    game ANY NOT NULL,
    condition ANY NOT NULL,           -- variant keys that differ from the defaults
    setting INTEGER NOT NULL,         -- which record of the game block
    setting_key ANY NOT NULL,         -- the record by its content
    experiment ANY NOT NULL,
    agents ANY NOT NULL,              -- JSON: agent name of each seat
    counted ANY NOT NULL,             -- JSON: seats that enter measures
    seed INTEGER NOT NULL,
    outcome ANY,                      -- JSON once the match is over
    frozen TEXT,                      -- why a match can no longer be replayed
    place INTEGER,                    -- if everything had been planned at once: the order of ratings
    origin INTEGER,
    origin_number INTEGER
) STRICT;

-- Count the matches that are not over, and those frozen, without reading the others.
CREATE INDEX open_matches ON stored_matches (number) WHERE outcome IS NULL;

CREATE INDEX frozen_matches ON stored_matches (frozen) WHERE frozen IS NOT NULL;

CREATE TABLE stored_answers (
    seq INTEGER PRIMARY KEY,          -- grows with every durable answer
    match INTEGER NOT NULL,
    ask INTEGER NOT NULL,             -- how many asks came before it in the match
    seat INTEGER NOT NULL,
    kind ANY NOT NULL,
    round INTEGER NOT NULL,
    value ANY NOT NULL,               -- JSON of the answer, or of the fallback after a fault
    fault TEXT,                       -- class of the fault, if the fallback stands
    tries INTEGER NOT NULL,           -- attempts it took, from 1
    notes TEXT,                       -- JSON of the agent's notes, if any
    digest ANY NOT NULL,              -- fingerprint of the ask and of the asked seats' views
    begun REAL,                       -- when it was asked for, in seconds since 1970
    latency REAL                      -- seconds until it stood; null where it came at once
) STRICT;

CREATE UNIQUE INDEX answers_once ON stored_answers (match, ask, seat);

-- Finds faults without reading the other answers.
CREATE INDEX faulty_answers ON stored_answers (match) WHERE fault IS NOT NULL;

CREATE TABLE templates (
    digest TEXT PRIMARY KEY,          -- fingerprint of the text
    name TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

-- The journal: every call of a model, stored before its answer is used.
CREATE TABLE stored_calls (
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
    begun REAL,                       -- when it was sent, in seconds since 1970
    cached_tokens INTEGER,            -- of the prompt's: read from the provider's cache
    written_tokens INTEGER,           -- of the prompt's: written to it
    reasoning_tokens INTEGER,         -- of the answer's
    provider_id TEXT,
    cache_key TEXT,                   -- what the answer depends on, if a cache may reuse it
    copy_of INTEGER,                  -- the call whose answer the cache reused
    provenance INTEGER
) STRICT;

CREATE INDEX calls_of_ask ON stored_calls (match, ask, seat);

CREATE INDEX calls_by_cache_key ON stored_calls (cache_key) WHERE cache_key IS NOT NULL;

-- Counts the calls that were sent without reading them.
CREATE INDEX calls_by_provenance ON stored_calls (provenance)
    WHERE provenance IS NOT NULL AND copy_of IS NULL;

-- Where the answers of models come from: most calls of an agent share a few of these rows.
CREATE TABLE provenances (
    number INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    templates TEXT NOT NULL,          -- as in calls
    served TEXT,                      -- the model's name in the answer
    fingerprint TEXT,                 -- the provider's, of the system that served the call
    host TEXT                         -- that was asked, with its port unless it is the usual one
) STRICT;

CREATE INDEX provenances_by_content
    ON provenances (agent, model, templates, served, fingerprint, host);

-- A chain of hashes over the rows above: each is of the one before and of the rows since.
CREATE TABLE seals (
    number INTEGER PRIMARY KEY,
    digest BLOB NOT NULL,
    origins INTEGER NOT NULL,         -- the newest row of this table by then, and so on
    stages INTEGER NOT NULL,
    programs INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    texts INTEGER NOT NULL,
    matches INTEGER NOT NULL,
    provenances INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    calls INTEGER NOT NULL
) STRICT;

-- The rows as they are read with SQL. The views take changes too: a changed row has its texts
-- itself.

CREATE VIEW matches AS
    SELECT number, entry,
        iif(typeof(game) = 'integer', (SELECT text FROM texts WHERE id = game), game) AS game,
        iif(typeof(condition) = 'integer', (SELECT text FROM texts WHERE id = condition), condition)
            AS condition,
        setting,
        iif(typeof(setting_key) = 'integer', (SELECT text FROM texts WHERE id = setting_key),
            setting_key) AS setting_key,
        iif(typeof(experiment) = 'integer', (SELECT text FROM texts WHERE id = experiment),
            experiment) AS experiment,
        iif(typeof(agents) = 'integer', (SELECT text FROM texts WHERE id = agents), agents)
            AS agents,
        iif(typeof(counted) = 'integer', (SELECT text FROM texts WHERE id = counted), counted)
            AS counted,
        seed,
        iif(typeof(outcome) = 'integer', (SELECT text FROM texts WHERE id = outcome), outcome)
            AS outcome,
        frozen,
        coalesce(place, number) AS place,
        (SELECT save FROM origins WHERE origins.number = origin) AS origin_save,
        origin_number
    FROM stored_matches;

CREATE TRIGGER insert_match INSTEAD OF INSERT ON matches BEGIN
    INSERT INTO stored_matches VALUES (
        NEW.number, NEW.entry, CAST(NEW.game AS TEXT), CAST(NEW.condition AS TEXT), NEW.setting,
        CAST(NEW.setting_key AS TEXT), CAST(NEW.experiment AS TEXT), CAST(NEW.agents AS TEXT),
        CAST(NEW.counted AS TEXT), NEW.seed, CAST(NEW.outcome AS TEXT), NEW.frozen,
        NEW.place, (SELECT number FROM origins WHERE save = NEW.origin_save), NEW.origin_number
    );
END;

CREATE TRIGGER update_match INSTEAD OF UPDATE ON matches BEGIN
    UPDATE stored_matches SET
        number = NEW.number, entry = NEW.entry, game = CAST(NEW.game AS TEXT),
        condition = CAST(NEW.condition AS TEXT), setting = NEW.setting,
        setting_key = CAST(NEW.setting_key AS TEXT), experiment = CAST(NEW.experiment AS TEXT),
        agents = CAST(NEW.agents AS TEXT), counted = CAST(NEW.counted AS TEXT), seed = NEW.seed,
        outcome = CAST(NEW.outcome AS TEXT), frozen = NEW.frozen, place = NEW.place,
        origin = (SELECT number FROM origins WHERE save = NEW.origin_save),
        origin_number = NEW.origin_number
    WHERE number = OLD.number;
END;

CREATE TRIGGER delete_match INSTEAD OF DELETE ON matches BEGIN
    DELETE FROM stored_matches WHERE number = OLD.number;
END;

CREATE VIEW answers AS
    SELECT seq, match, ask, seat,
        iif(typeof(kind) = 'integer', (SELECT text FROM texts WHERE id = kind), kind) AS kind,
        round,
        iif(typeof(value) = 'integer', (SELECT text FROM texts WHERE id = value), value) AS value,
        fault, tries, notes,
        iif(typeof(digest) = 'blob', lower(hex(digest)), digest) AS digest, begun, latency
    FROM stored_answers;

CREATE TRIGGER insert_answer INSTEAD OF INSERT ON answers BEGIN
    INSERT INTO stored_answers VALUES (
        NEW.seq, NEW.match, NEW.ask, NEW.seat, CAST(NEW.kind AS TEXT), NEW.round,
        CAST(NEW.value AS TEXT), NEW.fault, NEW.tries, NEW.notes, CAST(NEW.digest AS TEXT),
        NEW.begun, NEW.latency
    );
END;

CREATE TRIGGER update_answer INSTEAD OF UPDATE ON answers BEGIN
    UPDATE stored_answers SET
        seq = NEW.seq, match = NEW.match, ask = NEW.ask, seat = NEW.seat,
        kind = CAST(NEW.kind AS TEXT), round = NEW.round, value = CAST(NEW.value AS TEXT),
        fault = NEW.fault, tries = NEW.tries, notes = NEW.notes,
        digest = CAST(NEW.digest AS TEXT), begun = NEW.begun, latency = NEW.latency
    WHERE seq = OLD.seq;
END;

CREATE TRIGGER delete_answer INSTEAD OF DELETE ON answers BEGIN
    DELETE FROM stored_answers WHERE seq = OLD.seq;
END;

CREATE VIEW calls AS
    SELECT
        seq, match, ask, seat, try, number, attempt, agent, model, prompt, templates, parameters,
        failure, message, text, thinking, finish, prompt_tokens, completion_tokens, price,
        latency, begun, cached_tokens, written_tokens, reasoning_tokens, provider_id, cache_key,
        copy_of,
        (SELECT served FROM provenances WHERE provenances.number = provenance) AS served,
        (SELECT fingerprint FROM provenances WHERE provenances.number = provenance) AS fingerprint,
        (SELECT host FROM provenances WHERE provenances.number = provenance) AS host
    FROM stored_calls;

CREATE TRIGGER insert_call INSTEAD OF INSERT ON calls BEGIN
    INSERT INTO provenances (agent, model, templates, served, fingerprint, host)
        SELECT NEW.agent, NEW.model, NEW.templates, NEW.served, NEW.fingerprint, NEW.host
        WHERE NEW.failure IS NULL AND NOT EXISTS (
            SELECT 1 FROM provenances
            WHERE agent = NEW.agent AND model = NEW.model AND templates = NEW.templates
                AND served IS NEW.served AND fingerprint IS NEW.fingerprint AND host IS NEW.host
        );
    INSERT INTO stored_calls VALUES (
        NEW.seq, NEW.match, NEW.ask, NEW.seat, NEW.try, NEW.number, NEW.attempt, NEW.agent,
        NEW.model, NEW.prompt, NEW.templates, NEW.parameters, NEW.failure, NEW.message, NEW.text,
        NEW.thinking, NEW.finish, NEW.prompt_tokens, NEW.completion_tokens, NEW.price,
        NEW.latency, NEW.begun, NEW.cached_tokens, NEW.written_tokens, NEW.reasoning_tokens,
        NEW.provider_id, NEW.cache_key, NEW.copy_of,
        (SELECT provenances.number FROM provenances WHERE NEW.failure IS NULL
            AND agent = NEW.agent AND model = NEW.model AND templates = NEW.templates
            AND served IS NEW.served AND fingerprint IS NEW.fingerprint AND host IS NEW.host)
    );
END;

CREATE TRIGGER update_call INSTEAD OF UPDATE ON calls BEGIN
    INSERT INTO provenances (agent, model, templates, served, fingerprint, host)
        SELECT NEW.agent, NEW.model, NEW.templates, NEW.served, NEW.fingerprint, NEW.host
        WHERE NEW.failure IS NULL AND NOT EXISTS (
            SELECT 1 FROM provenances
            WHERE agent = NEW.agent AND model = NEW.model AND templates = NEW.templates
                AND served IS NEW.served AND fingerprint IS NEW.fingerprint AND host IS NEW.host
        );
    UPDATE stored_calls SET
        seq = NEW.seq, match = NEW.match, ask = NEW.ask, seat = NEW.seat, try = NEW.try,
        number = NEW.number, attempt = NEW.attempt, agent = NEW.agent, model = NEW.model,
        prompt = NEW.prompt, templates = NEW.templates, parameters = NEW.parameters,
        failure = NEW.failure, message = NEW.message, text = NEW.text, thinking = NEW.thinking,
        finish = NEW.finish, prompt_tokens = NEW.prompt_tokens,
        completion_tokens = NEW.completion_tokens, price = NEW.price, latency = NEW.latency,
        begun = NEW.begun, cached_tokens = NEW.cached_tokens, written_tokens = NEW.written_tokens,
        reasoning_tokens = NEW.reasoning_tokens,
        provider_id = NEW.provider_id, cache_key = NEW.cache_key, copy_of = NEW.copy_of,
        provenance = (SELECT provenances.number FROM provenances WHERE NEW.failure IS NULL
            AND agent = NEW.agent AND model = NEW.model AND templates = NEW.templates
            AND served IS NEW.served AND fingerprint IS NEW.fingerprint AND host IS NEW.host)
    WHERE seq = OLD.seq;
END;

CREATE TRIGGER delete_call INSTEAD OF DELETE ON calls BEGIN
    DELETE FROM stored_calls WHERE seq = OLD.seq;
END;
