-- Who may do what to which target, whose an artifact is, and who changed what.

CREATE TYPE target_right AS ENUM ('read', 'submit', 'define', 'promote');

ALTER TABLE tokens
  ADD COLUMN confined boolean NOT NULL DEFAULT false,
  ADD COLUMN expires_at timestamptz,
  ADD COLUMN rotated_at timestamptz,
  ADD COLUMN old_secret_sha256 sha256 CONSTRAINT token_old_secret_is_unique UNIQUE,
  ADD COLUMN old_secret_until timestamptz,
  ADD CONSTRAINT token_old_secret_has_an_end
    CHECK ((old_secret_sha256 IS NULL) = (old_secret_until IS NULL));
COMMENT ON COLUMN tokens.secret_sha256 IS 'SHA-256 of the token; the token itself is stored nowhere. It holds 256 random bits, so a slow hash would add nothing. Of a token that is confined or expires it is the SHA-256 of "limited " and the token, so that a honed which knows no limits does not know the token either';
COMMENT ON COLUMN tokens.confined IS 'To the targets of its grants: fixed when it is made. False: its role counts for all targets, as for every token that was made before there were grants';
COMMENT ON COLUMN tokens.expires_at IS 'From then on it is refused; null: never';
COMMENT ON COLUMN tokens.rotated_at IS 'When it was last given another secret';
COMMENT ON COLUMN tokens.old_secret_sha256 IS 'The secret before, hashed likewise, which is good until old_secret_until';

CREATE TABLE token_grants (
  token bigint NOT NULL REFERENCES tokens,
  target short_name NOT NULL,
  rights target_right[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (token, target),
  CONSTRAINT token_grant_lets_read CHECK ('read' = ANY (rights))
);
CREATE INDEX token_grants_of_target ON token_grants (target);
COMMENT ON TABLE token_grants IS 'What confined tokens may do: who may do something to a target may read it';
COMMENT ON COLUMN token_grants.target IS 'Its name, so that who is to register it can be granted that before it is there';

-- Whether whoever made a job or campaign (null: honed itself) may say what the target's builds do anyway.
CREATE FUNCTION may_define_target(maker bigint, product bigint) RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN coalesce(
    (SELECT CASE WHEN k.confined
              THEN EXISTS (SELECT FROM token_grants g JOIN targets t ON t.name = g.target
                           WHERE g.token = k.number AND t.number = product
                             AND 'define' = ANY (g.rights))
              ELSE k.role IN ('submitter', 'admin') END
     FROM tokens k WHERE k.number = maker),
    true);
COMMENT ON FUNCTION may_define_target IS 'The trust level of a job: what a worker keeps for those who may define the target is apart from what others leave';

-- A coordinator keeps what it knows of a token for some seconds, until it hears this. Triggers, so that
-- none is forgotten. A use of a token changes nothing of it.
CREATE FUNCTION note_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('hone_tokens', '');
  RETURN NULL;
END $$;
CREATE TRIGGER note_changed_tokens
  AFTER UPDATE OF role, secret_sha256, revoked_at, confined, expires_at, old_secret_sha256,
                  old_secret_until ON tokens
  FOR EACH STATEMENT EXECUTE FUNCTION note_tokens();
CREATE TRIGGER note_changed_grants AFTER INSERT OR UPDATE OR DELETE ON token_grants
  FOR EACH STATEMENT EXECUTE FUNCTION note_tokens();

-- Whose an artifact is: of who uploaded it, and of the targets one of whose versions names it.
CREATE TABLE artifact_uploads (
  artifact sha256 NOT NULL REFERENCES artifacts ON DELETE CASCADE,
  token bigint NOT NULL REFERENCES tokens,
  uploaded_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (artifact, token)
);
CREATE INDEX artifact_uploads_of_token ON artifact_uploads (token);
COMMENT ON TABLE artifact_uploads IS 'Who has sent the bytes of an artifact: to know its hash proves nothing. artifacts.created_by is the first of them';
INSERT INTO artifact_uploads (artifact, token, uploaded_at)
  SELECT sha256, created_by, created_at FROM artifacts WHERE created_by IS NOT NULL;
CREATE INDEX target_versions_of_artifact ON target_versions ((spec #>> '{source,artifact}'));

-- Whether a token (its id) that may read those targets (null: all) may read an artifact.
CREATE FUNCTION may_read_artifact(content text, reader uuid, names text[]) RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN names IS NULL
    OR EXISTS (SELECT FROM artifact_uploads u JOIN tokens k ON k.number = u.token
               WHERE u.artifact = content AND k.id = reader)
    OR EXISTS (SELECT FROM artifacts a JOIN tokens k ON k.number = a.created_by
               WHERE a.sha256 = content AND k.id = reader)
    OR EXISTS (SELECT FROM target_versions v JOIN targets t ON t.number = v.target
               WHERE v.spec #>> '{source,artifact}' = content AND t.name = ANY (names));
COMMENT ON FUNCTION may_read_artifact IS 'Whether a token may read an artifact: it uploaded it, or a target that it may read is made of it';

CREATE TABLE audit_log (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  token bigint REFERENCES tokens,
  action text NOT NULL CONSTRAINT audit_has_an_action CHECK (action <> ''),
  kind text NOT NULL,
  object text NOT NULL,
  target text,
  request text,
  before jsonb,
  after jsonb
);
CREATE INDEX audit_log_of_token ON audit_log (token, number);
CREATE INDEX audit_log_of_target ON audit_log (target, number) WHERE target IS NOT NULL;
CREATE INDEX audit_log_of_object ON audit_log (object, number) WHERE object <> '';
CREATE INDEX audit_log_by_time ON audit_log USING brin (at);
COMMENT ON TABLE audit_log IS 'Every change that was made through the API, written in the transaction that made it. What workers do to leases is in attempts, what follows from changes in events';
COMMENT ON COLUMN audit_log.token IS 'Who; null: honed itself';
COMMENT ON COLUMN audit_log.action IS 'What, as "kind.verb"';
COMMENT ON COLUMN audit_log.object IS 'Id or name of what was changed; empty where after lists several';
COMMENT ON COLUMN audit_log.target IS 'Name of the target that it belongs to; null: to none, or to several';
COMMENT ON COLUMN audit_log.request IS 'X-Request-Id of the request; null if there was none';
COMMENT ON COLUMN audit_log.before IS 'In a few words and without secrets, as after; null: nothing to say';

-- The target of what has an id, for the log.
CREATE FUNCTION audited_target(kind text, object text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF kind = 'job' AND object <> '' THEN
    RETURN (SELECT t.name FROM jobs j JOIN targets t ON t.number = j.target
            WHERE j.id = object::uuid);
  ELSIF kind = 'campaign' THEN
    RETURN (SELECT t.name FROM campaigns c JOIN targets t ON t.number = c.target
            WHERE c.id = object::uuid);
  END IF;
  RETURN NULL;
END $$;

-- Rows stay as they are. Who removes old ones says so first, for its own transaction.
CREATE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('hone.audit_retention', true) = 'on' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit log is only added to' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER audit_log_is_kept BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION keep_audit_log();
CREATE TRIGGER audit_log_is_not_emptied BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_log();
