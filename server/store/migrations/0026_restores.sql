-- What a restore from a backup means for the numbers of policies: machines refuse a number below one
-- that they saw, and the database does not know what was published after the backup was made.

CREATE TABLE restores (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  restored_at timestamptz NOT NULL,
  policy_gap bigint NOT NULL CONSTRAINT restore_leaves_a_gap CHECK (policy_gap > 0)
);
COMMENT ON TABLE restores IS 'Restores of this database from a backup';
COMMENT ON COLUMN restores.restored_at IS 'Policies of before are those that the backup had: never earlier than the newest of them, whatever the clock says';
COMMENT ON COLUMN restores.policy_gap IS 'A target''s policies are numbered above its last one of before and this: more than were published meanwhile';
