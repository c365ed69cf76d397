-- Coordinators keep for some seconds what policies they read. This makes every one of them look again at
-- once, whichever published, promoted or signed one, older ones included.
CREATE FUNCTION note_changed_policies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('hone_policies', '');
  RETURN NULL;
END $$;
CREATE TRIGGER note_changed_policies AFTER INSERT OR UPDATE OR DELETE ON policies
  FOR EACH STATEMENT EXECUTE FUNCTION note_changed_policies();
