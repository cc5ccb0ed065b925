-- Texts that many rows repeat, each stored once under a number.
CREATE TABLE texts (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

INSERT INTO texts (text)
    SELECT text FROM (
        SELECT outcome AS text, count(*) AS rows FROM matches GROUP BY outcome
        UNION ALL SELECT game, count(*) FROM matches GROUP BY game
        UNION ALL SELECT condition, count(*) FROM matches GROUP BY condition
        UNION ALL SELECT setting_key, count(*) FROM matches GROUP BY setting_key
        UNION ALL SELECT experiment, count(*) FROM matches GROUP BY experiment
        UNION ALL SELECT agents, count(*) FROM matches GROUP BY agents
        UNION ALL SELECT counted, count(*) FROM matches GROUP BY counted
        UNION ALL SELECT kind, count(*) FROM answers GROUP BY kind
        UNION ALL SELECT value, count(*) FROM answers GROUP BY value
    )
    WHERE rows > 1 AND length(text) <= 500
    GROUP BY text ORDER BY sum(rows) DESC, text LIMIT 16384;

-- A column of type ANY has the number of its text, or the text itself; a digest is binary.
CREATE TABLE stored_matches (
    number INTEGER PRIMARY KEY,
    entry INTEGER NOT NULL,
    game ANY NOT NULL,
    condition ANY NOT NULL,
    setting INTEGER NOT NULL,
    setting_key ANY NOT NULL,
    experiment ANY NOT NULL,
    agents ANY NOT NULL,
    counted ANY NOT NULL,
    seed INTEGER NOT NULL,
    outcome ANY,
    frozen TEXT
) STRICT;

INSERT INTO stored_matches
    SELECT number, entry,
        coalesce((SELECT id FROM texts WHERE text = game), game),
        coalesce((SELECT id FROM texts WHERE text = condition), condition),
        setting,
        coalesce((SELECT id FROM texts WHERE text = setting_key), setting_key),
        coalesce((SELECT id FROM texts WHERE text = experiment), experiment),
        coalesce((SELECT id FROM texts WHERE text = agents), agents),
        coalesce((SELECT id FROM texts WHERE text = counted), counted),
        seed,
        coalesce((SELECT id FROM texts WHERE text = outcome), outcome),
        frozen
    FROM matches ORDER BY number;

DROP TABLE matches;

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
        frozen
    FROM stored_matches;

CREATE TABLE stored_answers (
    seq INTEGER PRIMARY KEY,
    match INTEGER NOT NULL,
    ask INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    kind ANY NOT NULL,
    round INTEGER NOT NULL,
    value ANY NOT NULL,
    fault TEXT,
    tries INTEGER NOT NULL,
    notes TEXT,
    digest ANY NOT NULL
) STRICT;

INSERT INTO stored_answers
    SELECT seq, match, ask, seat,
        coalesce((SELECT id FROM texts WHERE text = kind), kind),
        round,
        coalesce((SELECT id FROM texts WHERE text = value), value),
        fault, tries, notes, packed_digest(digest)
    FROM answers ORDER BY seq;

DROP TABLE answers;

CREATE UNIQUE INDEX answers_once ON stored_answers (match, ask, seat);

CREATE VIEW answers AS
    SELECT seq, match, ask, seat,
        iif(typeof(kind) = 'integer', (SELECT text FROM texts WHERE id = kind), kind) AS kind,
        round,
        iif(typeof(value) = 'integer', (SELECT text FROM texts WHERE id = value), value) AS value,
        fault, tries, notes,
        iif(typeof(digest) = 'blob', lower(hex(digest)), digest) AS digest
    FROM stored_answers;

-- The views take changes too: a changed row has its texts itself.
CREATE TRIGGER insert_match INSTEAD OF INSERT ON matches BEGIN
    INSERT INTO stored_matches VALUES (
        NEW.number, NEW.entry, CAST(NEW.game AS TEXT), CAST(NEW.condition AS TEXT), NEW.setting,
        CAST(NEW.setting_key AS TEXT), CAST(NEW.experiment AS TEXT), CAST(NEW.agents AS TEXT),
        CAST(NEW.counted AS TEXT), NEW.seed, CAST(NEW.outcome AS TEXT), NEW.frozen
    ); END;

CREATE TRIGGER update_match INSTEAD OF UPDATE ON matches BEGIN
    UPDATE stored_matches SET
        number = NEW.number, entry = NEW.entry, game = CAST(NEW.game AS TEXT),
        condition = CAST(NEW.condition AS TEXT), setting = NEW.setting,
        setting_key = CAST(NEW.setting_key AS TEXT), experiment = CAST(NEW.experiment AS TEXT),
        agents = CAST(NEW.agents AS TEXT), counted = CAST(NEW.counted AS TEXT), seed = NEW.seed,
        outcome = CAST(NEW.outcome AS TEXT), frozen = NEW.frozen
    WHERE number = OLD.number; END;

CREATE TRIGGER delete_match INSTEAD OF DELETE ON matches BEGIN
    DELETE FROM stored_matches WHERE number = OLD.number; END;

CREATE TRIGGER insert_answer INSTEAD OF INSERT ON answers BEGIN
    INSERT INTO stored_answers VALUES (
        NEW.seq, NEW.match, NEW.ask, NEW.seat, CAST(NEW.kind AS TEXT), NEW.round,
        CAST(NEW.value AS TEXT), NEW.fault, NEW.tries, NEW.notes, CAST(NEW.digest AS TEXT)
    ); END;

CREATE TRIGGER update_answer INSTEAD OF UPDATE ON answers BEGIN
    UPDATE stored_answers SET
        seq = NEW.seq, match = NEW.match, ask = NEW.ask, seat = NEW.seat,
        kind = CAST(NEW.kind AS TEXT), round = NEW.round, value = CAST(NEW.value AS TEXT),
        fault = NEW.fault, tries = NEW.tries, notes = NEW.notes,
        digest = CAST(NEW.digest AS TEXT)
    WHERE seq = OLD.seq; END;

CREATE TRIGGER delete_answer INSTEAD OF DELETE ON answers BEGIN
    DELETE FROM stored_answers WHERE seq = OLD.seq; END;
