-- Coordinators keep for some seconds what tokens and policies they looked up. These notifications
-- make every one of them look again at once, whichever changed something, older ones included.

CREATE FUNCTION note_changed_policies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('hone_policies', '');
  RETURN NULL;
END $$;
CREATE TRIGGER note_changed_policies AFTER INSERT OR UPDATE OR DELETE ON policies
  FOR EACH STATEMENT EXECUTE FUNCTION note_changed_policies();

CREATE FUNCTION note_changed_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('hone_tokens', '');
  RETURN NULL;
END $$;
-- Not when a token's last use is noted, once a minute.
CREATE TRIGGER note_changed_tokens AFTER UPDATE OF role, revoked_at OR DELETE ON tokens
  FOR EACH STATEMENT EXECUTE FUNCTION note_changed_tokens();
