-- What may be spent, and what a call that has been sent may cost until its end is known.
ALTER TABLE control ADD COLUMN budget REAL;
ALTER TABLE control ADD COLUMN agent_budgets TEXT NOT NULL DEFAULT '{}';

CREATE TABLE reservations (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    dollars REAL NOT NULL,            -- the most that the call can cost
    match INTEGER NOT NULL,
    ask INTEGER NOT NULL,
    seat INTEGER NOT NULL
) STRICT;
