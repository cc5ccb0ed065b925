-- Answers that were taken from the cache instead of asking a model again.
ALTER TABLE calls ADD COLUMN cache_key TEXT;
ALTER TABLE calls ADD COLUMN copy_of INTEGER;

CREATE INDEX calls_by_cache_key ON calls (cache_key) WHERE cache_key IS NOT NULL;
