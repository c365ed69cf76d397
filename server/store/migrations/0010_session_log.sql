-- The log of compile sessions that were opened with one: episodes, their steps, and as a view the
-- transitions that these are. What was observed of a state is with the state.

CREATE TYPE step_kind AS ENUM ('begin', 'step', 'observe', 'undo', 'end');
CREATE TYPE step_outcome AS ENUM ('ok', 'crashed', 'timed_out', 'limit_exceeded', 'broken_module');
CREATE TYPE episode_start AS ENUM ('open', 'fork', 'reset');

CREATE TABLE episodes (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL CONSTRAINT episode_id_is_unique UNIQUE,
  session uuid NOT NULL,
  token bigint REFERENCES tokens,
  program sha256 NOT NULL,
  start episode_start NOT NULL,
  parent uuid,
  parent_step integer,
  machine jsonb NOT NULL,
  compiler text NOT NULL,
  begun_at timestamptz NOT NULL,
  CONSTRAINT episode_that_goes_on_has_a_parent CHECK ((start = 'open') = (parent IS NULL)),
  CONSTRAINT episode_parent_is_whole CHECK ((parent IS NULL) = (parent_step IS NULL))
);
CREATE INDEX episodes_by_time ON episodes (begun_at);
COMMENT ON TABLE episodes IS 'Ways through one program, from its opening, a fork or a reset to the next reset or the session''s end';
COMMENT ON COLUMN episodes.id IS 'Made by honed, so that a batch can be written twice and counts once';
COMMENT ON COLUMN episodes.session IS 'As the API names it; a reset begins another episode of the same session';
COMMENT ON COLUMN episodes.token IS 'Whose session it is';
COMMENT ON COLUMN episodes.program IS 'SHA-256 of the artifact: the file, not the module';
COMMENT ON COLUMN episodes.parent IS 'Of a fork the episode it was copied from, of a reset the one it ended. No reference: that one''s rows may come later or not at all';
COMMENT ON COLUMN episodes.parent_step IS 'The parent''s last entry when this began';
COMMENT ON COLUMN episodes.machine IS 'Where the passes ran';
COMMENT ON COLUMN episodes.compiler IS 'Whose passes: LLVM with its version';

CREATE TABLE steps (
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  number bigint GENERATED ALWAYS AS IDENTITY,
  episode bigint NOT NULL REFERENCES episodes ON DELETE CASCADE,
  step integer NOT NULL CONSTRAINT step_is_not_negative CHECK (step >= 0),
  kind step_kind NOT NULL,
  pipelines text[],
  applied integer,
  changed boolean,
  log_propensities double precision[],
  undone integer,
  state bigint REFERENCES states,
  next_state bigint REFERENCES states,
  outcome step_outcome NOT NULL,
  reason text NOT NULL,
  rewards jsonb NOT NULL,
  length integer NOT NULL CONSTRAINT step_length_is_not_negative CHECK (length >= 0),
  entries integer,
  dropped integer,
  at timestamptz NOT NULL,
  PRIMARY KEY (transaction, number),
  CONSTRAINT step_is_logged_once UNIQUE (episode, step),
  CONSTRAINT step_has_pipelines CHECK ((kind = 'step') = (pipelines IS NOT NULL)),
  CONSTRAINT step_tells_what_was_applied
    CHECK ((kind = 'step') = (applied IS NOT NULL) AND (kind = 'step') = (changed IS NOT NULL)),
  CONSTRAINT step_applied_is_of_its_pipelines CHECK (applied BETWEEN 0 AND cardinality(pipelines)),
  CONSTRAINT step_that_is_ok_is_whole
    CHECK (kind <> 'step' OR (outcome = 'ok') = (applied = cardinality(pipelines))),
  CONSTRAINT step_propensities_are_one_a_pipeline
    CHECK (log_propensities IS NULL
           OR (pipelines IS NOT NULL AND cardinality(log_propensities) = cardinality(pipelines))),
  CONSTRAINT step_propensities_are_probabilities
    CHECK (0 >= ALL (log_propensities) AND '-Infinity' < ALL (log_propensities)),
  CONSTRAINT step_undone_is_of_undo CHECK ((kind = 'undo') = (undone IS NOT NULL)),
  CONSTRAINT step_failure_is_of_a_step CHECK (kind = 'step' OR outcome = 'ok'),
  CONSTRAINT step_failure_has_a_reason CHECK (outcome = 'ok' OR reason <> ''),
  CONSTRAINT step_end_has_a_reason CHECK (kind <> 'end' OR reason <> ''),
  CONSTRAINT step_end_counts_the_entries
    CHECK ((kind = 'end') = (entries IS NOT NULL) AND (kind = 'end') = (dropped IS NOT NULL))
);
CREATE INDEX steps_from_state ON steps (state) WHERE kind = 'step';
COMMENT ON TABLE steps IS 'What was asked of logged sessions and came of it, in the order in which it is read';
COMMENT ON COLUMN steps.transaction IS 'As in experiences: what readers'' cursors are made of';
COMMENT ON COLUMN steps.step IS 'Place in the episode, from 0. A number that is missing was dropped';
COMMENT ON COLUMN steps.kind IS 'begin and end of the episode; step applies pipelines, undo takes some back, observe only looks';
COMMENT ON COLUMN steps.pipelines IS 'As they were asked for, one step''s together';
COMMENT ON COLUMN steps.applied IS 'So many of them took effect; of a failure the next one is to blame';
COMMENT ON COLUMN steps.changed IS 'Whether a pass says that it changed something';
COMMENT ON COLUMN steps.log_propensities IS 'Natural logarithm of the probability with which each pipeline was chosen; null: not known';
COMMENT ON COLUMN steps.state IS 'Before; null if it is not known (what came before was lost), and of a begin';
COMMENT ON COLUMN steps.next_state IS 'After; null if it could not be seen, and of an end';
COMMENT ON COLUMN steps.reason IS 'Of a failure, for people; of an end: why';
COMMENT ON COLUMN steps.rewards IS 'By the space''s name, those that were asked for: of a step its own, else of the whole way from the program';
COMMENT ON COLUMN steps.length IS 'Pipelines that led from the program to the next state; a fork has its parent''s';
COMMENT ON COLUMN steps.entries IS 'How many rows the episode has, this one included, if none was dropped: with fewer it is incomplete';
COMMENT ON COLUMN steps.dropped IS 'Rows that honed knows it could not keep';

CREATE VIEW transitions AS
SELECT e.program, s.state, s.pipelines[:s.applied] AS pipelines,
       s.pipelines[s.applied + 1] AS failed_pipeline, s.outcome, s.next_state, e.compiler,
       count(*) AS times,
       (SELECT jsonb_object_agg(r.key, r.value)
        FROM unnest(array_agg(s.rewards)) AS given (rewards), jsonb_each(given.rewards) AS r)
         AS rewards
FROM steps s JOIN episodes e ON e.number = s.episode
WHERE s.kind = 'step'
GROUP BY e.program, s.state, s.pipelines[:s.applied], s.pipelines[s.applied + 1], s.outcome,
         s.next_state, e.compiler;
COMMENT ON VIEW transitions IS 'Each transition once, with how often it was taken: a view, so that it can neither miss a step nor count one that is gone. By program, since rewards are against that program''s costs';
COMMENT ON COLUMN transitions.pipelines IS 'That were applied';
COMMENT ON COLUMN transitions.failed_pipeline IS 'Null if the outcome is ok';

COMMENT ON TABLE states IS 'Modules as the optimiser first sees them, and as compile sessions come to them, each stored once';
COMMENT ON COLUMN states.state_id IS 'SHA-256 of the module''s bitcode: of a compile as clang writes it before anything is optimised, of a session as LLVM writes what it has read. The same module may have both names';
COMMENT ON COLUMN states.features IS 'Numbers by the name of their observation space, as far as somebody looked; null until then';
