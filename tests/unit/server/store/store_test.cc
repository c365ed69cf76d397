#include "tests/unit/server/store/store_test.h"

#include <cmath>

#include "common/base/sha256.h"
#include "common/base/token.h"

namespace hone::test {

void StoreTest::SetUp() {
  url = new_migrated_database();
  StoreOptions options;
  options.database_url = url;
  options.retry = retry;
  store = get(Store::open(context.get_executor(), std::move(options)));
  token = get(store->tokens().create("tester", Role::admin)).view.id;
}

void StoreTest::TearDown() {
  store.reset();
  context.restart();
  context.poll();
}

std::string StoreTest::sql(const std::string& text) {
  PgConnectOptions options;
  options.url = url;
  auto connection = run_on(context, PgConnection::connect(context.get_executor(), options));
  if (!connection) {
    throw std::runtime_error(connection.error().message);
  }
  const PgOutcome<PgResult> result = run_on(context, (*connection)->run(text));
  if (!result) {
    throw std::runtime_error(result.error().message);
  }
  if (result->empty()) {
    return {};
  }
  // In quotes, or libpq would look for it in lower case.
  const std::string column = "\"" + std::string(result->column_name(0)) + "\"";
  return result->row(0).text_or_empty(column.c_str());
}

std::unique_ptr<PgConnection> StoreTest::begin_other(const std::string& text) {
  PgConnectOptions options;
  options.url = url;
  auto connection = run_on(context, PgConnection::connect(context.get_executor(), options));
  if (!connection) {
    throw std::runtime_error(connection.error().message);
  }
  const PgOutcome<PgResult> result = run_on(context, (*connection)->run("BEGIN; " + text));
  if (!result) {
    throw std::runtime_error(result.error().message);
  }
  return *std::move(connection);
}

bool StoreTest::is_anybody_waiting() {
  return sql("SELECT count(*) FROM pg_stat_activity "
             "WHERE datname = current_database() AND wait_event_type = 'Lock'") != "0";
}

void StoreTest::commit(PgConnection& other) {
  const PgOutcome<PgResult> result = run_on(context, other.run("COMMIT"));
  ASSERT_TRUE(result) << result.error().message;
}

void StoreTest::add_target(const std::string& name) {
  get(store->targets().put(example_target(name), token));
}

void StoreTest::add_worker(const std::string& name) {
  WorkerView worker;
  worker.name = name;
  worker.slots = 16;  // room for the leases of any test
  get(store->workers().put(worker));
}

std::vector<std::string> StoreTest::submit(std::size_t count, const std::string& target,
                                           std::int64_t priority, std::int64_t max_attempts) {
  JobRequest job = example_job(target);
  job.priority = priority;
  job.max_attempts = max_attempts;
  const std::vector<JobRequest> batch(count, job);
  const IdempotencyKey key{random_uuid(), sha256_hex("batch")};
  return get(store->jobs().submit(batch, key, token)).ids;
}

std::optional<Lease> StoreTest::claim(const std::string& worker, std::int64_t seconds) {
  return get(store->jobs().claim(worker, token, seconds));
}

std::vector<EndedLease> StoreTest::expire_leases() {
  sql("UPDATE serving SET until = now() + interval '1 hour'");
  return get(store->jobs().expire_leases());
}

std::string StoreTest::race(std::int64_t candidates, std::optional<std::int64_t> budget,
                            std::int64_t priority) {
  CampaignRequest request;
  request.target = "lz4";
  request.budget_candidates = budget.value_or(candidates);
  request.priority = priority;
  const std::string id = get(store->campaigns().create(request, std::nullopt, token)).view.id;
  get(store->campaigns().add_candidate_set(id, example_set(candidates)));
  return id;
}

TargetSpec example_target(const std::string& name) {
  TargetSpec spec;
  spec.name = name;
  spec.source.artifact = std::string(64, 'a');
  spec.build.cmake = CMakeSpec{};
  spec.build.binaries = {"lz4"};
  spec.benchmark.command = {"{build}/lz4", "-q", "{input}"};
  spec.benchmark.inputs = {{"text", "text.bin", ""}};
  return spec;
}

JobRequest example_job(const std::string& target) {
  JobRequest job;
  job.target = target;
  job.note = "by hand";
  Rule rule;
  rule.source = "lib/*.c";
  rule.decision.knobs = {{"unroll-count", "4"}};
  job.rules = {rule};
  return job;
}

CandidateSet example_set(std::int64_t candidates) {
  CandidateSet set;
  set.generator = "test 1";
  set.scheme = "uniform";
  set.seed = 18446744073709551615U;
  for (std::int64_t i = 0; i < candidates; ++i) {
    Candidate candidate;
    candidate.index = i;
    candidate.origin = "knob";
    candidate.note = "-unroll-count=" + std::to_string(i + 1);
    candidate.log_propensity = -std::log(static_cast<double>(candidates));
    Rule rule;
    rule.decision.knobs = {{"unroll-count", std::to_string(i + 1)}};
    candidate.rules = {rule};
    set.candidates.push_back(candidate);
  }
  return set;
}

AttemptResult example_result(double reward) {
  AttemptResult result;
  result.outcome = Outcome::ok;
  result.verdict = reward > 0 ? Verdict::faster : Verdict::slower;
  result.reward = RewardEstimate{reward, reward - 0.001, reward + 0.001, 0.95, 16, 0.004, 0.0061};
  for (std::int64_t pair = 0; pair < 4; ++pair) {
    for (std::int64_t position = 0; position < 2; ++position) {
      Sample sample;
      sample.pair = pair;
      sample.position = position;
      sample.block = pair / 4;
      sample.layout = pair % 3;
      sample.input = "text";
      sample.role = position == pair % 2 ? SampleRole::baseline : SampleRole::candidate;
      sample.value = 0.1 + 1.0 / static_cast<double>(3 + pair * 2 + position);
      result.samples.push_back(sample);
    }
  }
  result.decisions = {{"lib/lz4.c", "lz4.o", std::string(64, 'b'), "0123", true, true, "", -0.5},
                      {"lib/xxh.c", "xxh.o", "", "", false, true, "not \"allowed\" \\ here", {}}};
  result.binaries = {{"lz4", std::string(64, 'c'), 123456, 98765}};
  result.baseline_binaries = {{"lz4", std::string(64, 'd'), 123450, 98760}};
  result.machine = {"host", "cpu", 2, 4096, "6.1"};
  result.toolchain = {"clang 19.1.7", std::string(64, 'e'), "0.1", "ld.lld"};
  result.build_seconds = 1.5;
  result.baseline_build_seconds = 2.25;
  result.measure_seconds = 3.125;
  result.links = 8;
  result.layout_sigma = 0.0125;
  result.log = "line 1\nline {2} \"quoted\"\n";
  result.warnings = {"autocorrelation", "outliers, on one side"};
  return result;
}

AttemptResult failed_result(Outcome outcome, const std::string& reason) {
  AttemptResult result = example_result();
  result.outcome = outcome;
  result.reason = reason;
  result.verdict.reset();
  result.reward.reset();
  result.samples.clear();
  return result;
}

}  // namespace hone::test
