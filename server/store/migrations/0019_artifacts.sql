-- Artifacts that are collected when nobody needs them, and uploads that can be interrupted.

-- storing ──▶ kept ──▶ deleting ──▶ (no row)
--    └──────────┴─ a new upload of it ─┘ back to storing
CREATE TYPE artifact_state AS ENUM ('storing', 'kept', 'deleting');

ALTER TABLE artifacts
  ADD COLUMN state artifact_state NOT NULL DEFAULT 'kept',
  ADD COLUMN used_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX artifacts_by_use ON artifacts (used_at);
COMMENT ON TABLE artifacts IS 'Uploaded files; their content lies in the artifact folder or bucket. Every file there has its row first';
COMMENT ON COLUMN artifacts.state IS 'storing: complete and on its way to its place. kept: there. deleting: nobody is told any more that it is there, and its file is being removed';
COMMENT ON COLUMN artifacts.used_at IS 'When somebody last uploaded it, asked for it or referred to it, to a minute: its age is counted from here';

-- One place that knows who needs an artifact; who refers to artifacts anew adds a line.
CREATE VIEW artifact_references AS
SELECT spec #>> '{source,artifact}' AS sha256 FROM target_versions
UNION ALL
SELECT program::text FROM episodes;
COMMENT ON VIEW artifact_references IS 'Artifacts that are never collected: sources of registered versions, which jobs, campaigns and policies are of, and programs of logged sessions';

CREATE TABLE unfinished_uploads (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  token bigint NOT NULL REFERENCES tokens,
  sha256 sha256 NOT NULL,
  size_bytes bigint NOT NULL CONSTRAINT upload_size_is_not_negative CHECK (size_bytes >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT upload_is_one_per_token_and_artifact UNIQUE (token, sha256)
);
CREATE INDEX unfinished_uploads_by_use ON unfinished_uploads (used_at);
COMMENT ON TABLE unfinished_uploads IS 'Uploads under way that may be interrupted and gone on with. Their bytes lie with the coordinator that got them; the file''s length is the offset';
COMMENT ON COLUMN unfinished_uploads.token IS 'Whose upload it is: nobody else may send to it';
COMMENT ON COLUMN unfinished_uploads.used_at IS 'When it was last begun or sent to: it ends a day later';
