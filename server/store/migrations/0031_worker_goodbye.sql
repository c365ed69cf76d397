-- A worker that stops in order says so. It is there again as soon as it is seen after that: whoever sees it, also a
-- coordinator of a release before this one, writes last_seen_at and need not know of this column.
ALTER TABLE workers ADD COLUMN left_at timestamptz;
COMMENT ON COLUMN workers.left_at IS 'When it last said that it stops; it is gone as long as this is not before last_seen_at. Null: it never said so';
