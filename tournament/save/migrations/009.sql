-- A tournament that grows: who the save is, how its plan grew, and where its matches come from.
ALTER TABLE tournament ADD COLUMN save_id TEXT NOT NULL DEFAULT '';
UPDATE tournament SET save_id = save_id_of(created || program || spec);

-- Growth only appends: the tournament of a stage is a beginning of that of the last one.
CREATE TABLE stages (
    number INTEGER PRIMARY KEY,       -- from 1, which is the plan that the save began with
    kind TEXT NOT NULL,               -- planned, added, extended, merged or split
    since TEXT NOT NULL,              -- UTC, ISO 8601
    program TEXT NOT NULL,            -- version of the program that planned it
    last_match INTEGER NOT NULL,      -- highest number of a match by then
    body TEXT NOT NULL                -- JSON: agents, games and repetitions by then; what was asked
) STRICT;

INSERT INTO stages
    SELECT 1, 'planned', created, program,
        coalesce((SELECT max(number) FROM stored_matches), 0),
        json_object(
            'agents', json_array_length(spec, '$.agents'),
            'games', json_array_length(spec, '$.games'),
            'repetitions', json_extract(spec, '$.repetitions')
        )
    FROM tournament;

-- The saves that matches were merged or split from; a match of this save's own plan has none.
CREATE TABLE origins (
    number INTEGER PRIMARY KEY,
    save TEXT NOT NULL UNIQUE,        -- its save_id
    name TEXT NOT NULL,
    created TEXT NOT NULL,
    program TEXT NOT NULL,
    shift INTEGER NOT NULL            -- what its matches' places have here beyond those there
) STRICT;

-- Where a match stands if everything had been planned at once: the order of ratings.
ALTER TABLE stored_matches ADD COLUMN place INTEGER;
ALTER TABLE stored_matches ADD COLUMN origin INTEGER;
ALTER TABLE stored_matches ADD COLUMN origin_number INTEGER;

DROP VIEW matches;

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
    ); END;

CREATE TRIGGER update_match INSTEAD OF UPDATE ON matches BEGIN
    UPDATE stored_matches SET
        number = NEW.number, entry = NEW.entry, game = CAST(NEW.game AS TEXT),
        condition = CAST(NEW.condition AS TEXT), setting = NEW.setting,
        setting_key = CAST(NEW.setting_key AS TEXT), experiment = CAST(NEW.experiment AS TEXT),
        agents = CAST(NEW.agents AS TEXT), counted = CAST(NEW.counted AS TEXT), seed = NEW.seed,
        outcome = CAST(NEW.outcome AS TEXT), frozen = NEW.frozen, place = NEW.place,
        origin = (SELECT number FROM origins WHERE save = NEW.origin_save),
        origin_number = NEW.origin_number
    WHERE number = OLD.number; END;

CREATE TRIGGER delete_match INSTEAD OF DELETE ON matches BEGIN
    DELETE FROM stored_matches WHERE number = OLD.number; END;

-- Decisions of the adaptive schedule, each the reason of some matches, and when to stop.
CREATE TABLE decisions (
    seq INTEGER PRIMARY KEY,
    first_match INTEGER NOT NULL,
    last_match INTEGER NOT NULL,
    body TEXT NOT NULL                -- JSON
) STRICT;
ALTER TABLE control ADD COLUMN until TEXT;

-- The versions of the program that went on with a save that another one made.
CREATE TABLE programs (
    number INTEGER PRIMARY KEY,
    since TEXT NOT NULL,              -- UTC, ISO 8601
    program TEXT NOT NULL,
    last_answer INTEGER NOT NULL      -- seq of the newest answer before
) STRICT;

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

-- Before this version the parameters had the name in the answer if it was not the asked one.
INSERT INTO provenances (agent, model, templates, served)
    SELECT DISTINCT agent, model, templates,
        CASE WHEN parameters LIKE '%"model"%' AND json_valid(parameters)
            THEN CAST(json_extract(parameters, '$.model') AS TEXT) END
    FROM calls WHERE failure IS NULL;

ALTER TABLE calls RENAME TO stored_calls;

ALTER TABLE stored_calls ADD COLUMN provenance INTEGER;

UPDATE stored_calls SET provenance = (
        SELECT provenances.number FROM provenances
        WHERE provenances.agent = stored_calls.agent AND provenances.model = stored_calls.model
            AND provenances.templates = stored_calls.templates
            AND served IS CASE WHEN parameters LIKE '%"model"%' AND json_valid(parameters)
                THEN CAST(json_extract(parameters, '$.model') AS TEXT) END
    ) WHERE failure IS NULL;

-- Counts the calls that were sent without reading them.
CREATE INDEX calls_by_provenance ON stored_calls (provenance)
    WHERE provenance IS NOT NULL AND copy_of IS NULL;

CREATE VIEW calls AS
    SELECT
        seq, match, ask, seat, try, number, attempt, agent, model, prompt, templates, parameters,
        failure, message, text, thinking, finish, prompt_tokens, completion_tokens, price,
        latency, provider_id, cache_key, copy_of,
        (SELECT served FROM provenances WHERE provenances.number = provenance) AS served,
        (SELECT fingerprint FROM provenances WHERE provenances.number = provenance) AS fingerprint,
        (SELECT host FROM provenances WHERE provenances.number = provenance) AS host
    FROM stored_calls;

CREATE TRIGGER insert_call INSTEAD OF INSERT ON calls BEGIN
    INSERT INTO provenances (agent, model, templates, served, fingerprint, host)
        SELECT NEW.agent, NEW.model, NEW.templates, NEW.served, NEW.fingerprint, NEW.host
        WHERE NEW.failure IS NULL AND NOT EXISTS (
            SELECT 1 FROM provenances WHERE agent = NEW.agent AND model = NEW.model AND templates = NEW.templates
                AND served IS NEW.served AND fingerprint IS NEW.fingerprint AND host IS NEW.host
        ); INSERT INTO stored_calls VALUES (
        NEW.seq, NEW.match, NEW.ask, NEW.seat, NEW.try, NEW.number, NEW.attempt, NEW.agent,
        NEW.model, NEW.prompt, NEW.templates, NEW.parameters, NEW.failure, NEW.message, NEW.text,
        NEW.thinking, NEW.finish, NEW.prompt_tokens, NEW.completion_tokens, NEW.price,
        NEW.latency, NEW.provider_id, NEW.cache_key, NEW.copy_of,
        (SELECT provenances.number FROM provenances WHERE NEW.failure IS NULL
            AND agent = NEW.agent AND model = NEW.model AND templates = NEW.templates
            AND served IS NEW.served AND fingerprint IS NEW.fingerprint AND host IS NEW.host)
    ); END;

CREATE TRIGGER update_call INSTEAD OF UPDATE ON calls BEGIN
    INSERT INTO provenances (agent, model, templates, served, fingerprint, host)
        SELECT NEW.agent, NEW.model, NEW.templates, NEW.served, NEW.fingerprint, NEW.host
        WHERE NEW.failure IS NULL AND NOT EXISTS (
            SELECT 1 FROM provenances WHERE agent = NEW.agent AND model = NEW.model AND templates = NEW.templates
                AND served IS NEW.served AND fingerprint IS NEW.fingerprint AND host IS NEW.host
        ); UPDATE stored_calls SET
        seq = NEW.seq, match = NEW.match, ask = NEW.ask, seat = NEW.seat, try = NEW.try,
        number = NEW.number, attempt = NEW.attempt, agent = NEW.agent, model = NEW.model,
        prompt = NEW.prompt, templates = NEW.templates, parameters = NEW.parameters,
        failure = NEW.failure, message = NEW.message, text = NEW.text, thinking = NEW.thinking,
        finish = NEW.finish, prompt_tokens = NEW.prompt_tokens,
        completion_tokens = NEW.completion_tokens, price = NEW.price, latency = NEW.latency,
        provider_id = NEW.provider_id, cache_key = NEW.cache_key, copy_of = NEW.copy_of,
        provenance = (SELECT provenances.number FROM provenances WHERE NEW.failure IS NULL
            AND agent = NEW.agent AND model = NEW.model AND templates = NEW.templates
            AND served IS NEW.served AND fingerprint IS NEW.fingerprint AND host IS NEW.host)
    WHERE seq = OLD.seq; END;

CREATE TRIGGER delete_call INSTEAD OF DELETE ON calls BEGIN
    DELETE FROM stored_calls WHERE seq = OLD.seq; END;
