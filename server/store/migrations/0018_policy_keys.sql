-- Whose signatures count: public keys of those who sign policies. Secret keys are never here.

CREATE TABLE policy_keys (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT policy_key_id_is_unique UNIQUE,
  name short_name NOT NULL,
  target bigint REFERENCES targets,
  public_key text NOT NULL,
  fingerprint sha256 NOT NULL,
  valid_from timestamptz NOT NULL DEFAULT now(),
  valid_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint REFERENCES tokens,
  retired_at timestamptz,
  CONSTRAINT policy_key_is_valid_for_a_time CHECK (valid_until > valid_from)
);
CREATE UNIQUE INDEX policy_keys_name_in_use ON policy_keys (name) WHERE retired_at IS NULL;
CREATE UNIQUE INDEX policy_keys_in_use ON policy_keys (fingerprint, coalesce(target, 0))
  WHERE retired_at IS NULL;
CREATE INDEX policy_keys_of_target ON policy_keys (target);
COMMENT ON TABLE policy_keys IS 'Public Ed25519 keys that signatures of policies are verified with when one is put in force; several may be valid at once, so that a key can be followed by another';
COMMENT ON COLUMN policy_keys.target IS 'Whose policies it may sign; null: all targets''';
COMMENT ON COLUMN policy_keys.fingerprint IS 'SHA-256 of the 32 bytes of the key';
COMMENT ON COLUMN policy_keys.retired_at IS 'From then on nothing that it signed is put in force; what is in force stays';

ALTER TABLE targets ADD COLUMN signatures_required boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN targets.signatures_required IS 'Whether only a policy with the signature of a key in use may be put in force';
