-- What closes the loop: why a canary ended, what it was compared with, and what is left of each service's budget.

ALTER TABLE canaries
  ADD COLUMN cause text NOT NULL DEFAULT 'none' CONSTRAINT canary_cause_is_known
    CHECK (cause IN ('none', 'harm', 'limit', 'budget', 'lost_windows', 'undecided', 'by_hand')),
  ADD COLUMN known_good integer,
  ADD CONSTRAINT canary_known_good_is_a_version
    FOREIGN KEY (target, known_good) REFERENCES policies (target, version);
CREATE INDEX canaries_of_known_good ON canaries (target, known_good);
COMMENT ON COLUMN canaries.cause IS 'Why it ended without a promotion; harm and limit say something of its policy';
COMMENT ON COLUMN canaries.known_good IS 'The version in force when it began, which the baseline is said to run; null: none was';

ALTER TABLE services
  ADD COLUMN budget jsonb,
  ADD COLUMN budget_at timestamptz,
  ADD COLUMN asked_at timestamptz,
  ADD CONSTRAINT service_budget_has_its_time CHECK ((budget IS NULL) = (budget_at IS NULL));
COMMENT ON COLUMN services.budget IS 'What was left of the error budget when Prometheus last told; null: it has not told since the service was described';
COMMENT ON COLUMN services.budget_at IS 'When that was';
COMMENT ON COLUMN services.asked_at IS 'When some honed last set about asking for it, so that several ask once';
