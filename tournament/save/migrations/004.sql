-- What may be asked of each endpoint: how a tournament is played, as its pace is.
ALTER TABLE control ADD COLUMN limits TEXT NOT NULL DEFAULT '[]';
