// Migrations since the rule: expand in one release, contract in the next (ARCHITECTURE.md).
#include "tests/unit/server/store/migration_rules.h"

#include <gtest/gtest.h>

#include "server/store/pg/migrator.h"

namespace hone::test {
namespace {

// The first that honeds of the release before go on over.
constexpr std::string_view kSince = "0015";

TEST(MigrationRules, NoneOfOursBreaksTheHonedsOfTheReleaseBefore) {
  int looked_at = 0;
  for (const Migration& migration : embedded_migrations()) {
    if (migration.name.substr(0, 4) < kSince) {
      continue;
    }
    ++looked_at;
    for (const std::string& broken : broken_rules(migration.sql)) {
      ADD_FAILURE() << migration.name << " " << broken;
    }
  }
  EXPECT_GT(looked_at, 0);
}

TEST(MigrationRules, WhatBreaksThemIsFound) {
  for (const char* bad : {
           "DROP TABLE jobs;",
           "DROP INDEX jobs_queue;",
           "DROP TRIGGER note_new_jobs ON jobs;",
           "TRUNCATE events;",
           "ALTER TABLE jobs DROP COLUMN note;",
           "ALTER TABLE jobs DROP CONSTRAINT job_has_rules_or_a_candidate;",
           "ALTER TABLE jobs RENAME COLUMN note TO remark;",
           "ALTER TABLE jobs RENAME TO tasks;",
           "ALTER TYPE job_state RENAME VALUE 'dead' TO 'buried';",
           "ALTER TABLE ONLY jobs ALTER COLUMN note TYPE varchar(10);",
           "ALTER TABLE jobs ALTER note SET DATA TYPE varchar(10);",
           "ALTER TABLE jobs ALTER COLUMN created_by SET NOT NULL;",
           "ALTER TABLE jobs ALTER COLUMN note DROP NOT NULL;",
           "ALTER TABLE jobs ADD COLUMN urgency int NOT NULL;",
           "ALTER TABLE jobs ADD a int, ADD COLUMN b int NOT NULL CHECK (b > 0);",
           "ALTER TABLE jobs ADD CONSTRAINT short_note CHECK (length(note) < 10);",
           "ALTER TABLE jobs ADD UNIQUE (note);",
           "CREATE UNIQUE INDEX notes ON jobs (note);",
           "/* DROP */ SELECT ';'; drop\n  table \"jobs\"",
           "DO $$ BEGIN EXECUTE 'DROP TABLE jobs'; END $$;",
       }) {
    EXPECT_EQ(broken_rules(bad).size(), 1U) << bad;
  }
}

TEST(MigrationRules, WhatOldHonedsDoNotNoticeIsAllowed) {
  for (const char* good : {
           "-- DROP TABLE jobs;\nSELECT 1;",
           "COMMENT ON TABLE jobs IS 'we DROP TABLE nothing; we RENAME nothing';",
           "CREATE TABLE t (x int NOT NULL); ALTER TABLE t DROP COLUMN x; CREATE UNIQUE INDEX u ON "
           "t (x);",
           "ALTER TABLE jobs ADD COLUMN labels jsonb NOT NULL DEFAULT '{}';",
           "ALTER TABLE jobs ADD COLUMN n bigint NOT NULL GENERATED ALWAYS AS (number) STORED;",
           "ALTER TABLE jobs ADD COLUMN not_before timestamptz;",
           "ALTER TABLE jobs ADD COLUMN a int, ADD CONSTRAINT a_is_positive CHECK (a > 0);",
           "ALTER TABLE jobs ALTER COLUMN note DROP DEFAULT;",
           "ALTER TYPE job_state ADD VALUE 'waiting';",
           "CREATE INDEX jobs_by_note ON jobs (note);",
           "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $body$ "
           "BEGIN DROP TABLE jobs; END $body$;",
           "-- The release before: asks for neither index by name.\nDROP INDEX jobs_queue;",
       }) {
    const std::vector<std::string> broken = broken_rules(good);
    EXPECT_TRUE(broken.empty()) << good << "\n" << (broken.empty() ? "" : broken[0]);
  }
}

}  // namespace
}  // namespace hone::test
