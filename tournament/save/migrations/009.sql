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

-- What served a call, as far as the answer says it.
ALTER TABLE calls ADD COLUMN served TEXT;
ALTER TABLE calls ADD COLUMN fingerprint TEXT;
ALTER TABLE calls ADD COLUMN host TEXT;
