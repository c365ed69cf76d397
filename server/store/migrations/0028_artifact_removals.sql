-- A removal of an artifact's file may go on after the connection that holds the record's lock was
-- lost: the file system, or the bucket, has the request still. Until this time nobody brings the
-- artifact back, and nobody else removes it, so that a late removal finds no new file.
ALTER TABLE artifacts ADD COLUMN removing_until timestamptz;
COMMENT ON COLUMN artifacts.removing_until IS 'While state is deleting: until then its file may vanish at any moment, and no upload may put a new one in its place; null: nobody has begun to remove the file';
