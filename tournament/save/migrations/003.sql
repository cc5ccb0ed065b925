-- How quickly it was last played; what is left out is the program's own choice.
CREATE TABLE control (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    concurrency INTEGER,              -- matches at once
    pace REAL                         -- asks a second, at most
) STRICT;

INSERT INTO control VALUES (1, NULL, NULL);
