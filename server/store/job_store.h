// The durable queue of jobs and what was measured.
//
//   queued -> leased -> done | dead | cancelled,  leased -> queued (expired or handed back)
//   queued -> dead (deadline) | cancelled,  dead -> queued (retried on request)
//
// Invariants, kept by the database: a job has at most one lease, and at most one counted result,
// ever. A lease is over when expire_leases() says so, not a moment before: a result that comes
// late, but before the sweep, still counts. Every change of state leaves an event (event_store.h)
// in the same transaction. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/protocol/job.h"
#include "common/protocol/lease.h"
#include "server/store/async.h"
#include "server/store/idempotency.h"
#include "server/store/page.h"
#include "server/store/reader.h"
#include "server/store/worker_store.h"

namespace hone {

struct SubmittedJobs {
  std::vector<std::string> ids;  // in the order of the batch
  bool replayed = false;         // the key was known: this is the earlier answer
};

struct JobFilter {
  std::optional<std::string> target = std::nullopt;    // name
  std::optional<std::string> campaign = std::nullopt;  // id
  std::optional<JobState> state = std::nullopt;
  Reader reader{};  // who sees some targets only sees their jobs
};

enum class SampleDetail { leave_out, include };

// What became of a lease that ended without a result.
struct EndedLease {
  std::string attempt;
  std::string job;
  std::string worker;
  std::string reason;
  JobState job_state = JobState::queued;  // queued again, dead or cancelled
  bool gave_up = false;                   // dead because the attempts were used up
};

inline constexpr std::size_t kMaxClaimants = 64;

enum class ClaimStatus {
  leased,          // where it has no lease, that cannot be read: the log says why, it expires
  nothing,         // no job that this kind of worker may measure is ready
  other_kind,      // of another kind than the first: ask again without it
  drained,         // it is to take no more jobs
  full,            // it holds all the leases that its slots can be busy with
  not_registered,  // by this token; or its token is not known
};

struct Claim {
  ClaimStatus status = ClaimStatus::nothing;
  std::optional<Lease> lease;  // with status leased
};

// What a worker is told that nobody registered with its token: not_found.
Error not_registered(const std::string& worker);
// What one is told that is full: resource_exhausted.
Error holds_too_many(const std::string& worker);

struct Claims {
  std::vector<Claim> each;  // in the order of the claimants
  bool missed = false;      // jobs that are there were being claimed by others: look again
};

// When a job whose attempt failed is tried again: `first`, doubled with each counted attempt, at
// most `longest`, then by chance up to a quarter less or more. A clean hand-back waits for nothing.
struct RetryPause {
  std::chrono::milliseconds first{1'000};
  std::chrono::milliseconds longest{300'000};
};

// A result with who sends it, as of complete().
struct Completion {
  std::string attempt;
  std::string token;
  AttemptResult result;
  std::string body_sha256;
};

struct QueueSweep {
  std::int64_t woken = 0;  // are ready to be tried again
  std::int64_t late = 0;   // passed their deadline
};

class JobStore {
 public:
  explicit JobStore(PgPool& pool, RetryPause pause = {}) : pool_(pool), pause_(pause) {}

  // Puts a batch into the queue, all or nothing. invalid_argument naming every unknown target by
  // /jobs/<index>/target, and an empty or too large batch; conflict if the key was used with
  // another body. `created_by` is a token's id; `traceparent` goes with every lease of the jobs.
  Async<SubmittedJobs> submit(std::vector<JobRequest> batch, IdempotencyKey key,
                              std::string created_by, std::string traceparent = {});

  // What submit() gave for this key before, if it did. conflict as there.
  Async<std::optional<SubmittedJobs>> find_submitted(IdempotencyKey key, std::string created_by);

  // With attempts, rules and, once done, the result. not_found.
  Async<JobView> find(std::string id, SampleDetail samples);
  // Newest first; without attempts, rules and result.
  Async<Page<JobView>> list(JobFilter filter, PageRequest page);
  // How many jobs are in each state; all states are there. Reads counts that are kept.
  Async<std::map<JobState, std::int64_t>> count_by_state();

  // How many jobs that this token (id) submitted are queued, counted up to `most`.
  Async<std::int64_t> count_queued_of(std::string token, std::int64_t most);

  // queued: cancelled at once. leased: the worker is told by its next heartbeat and the job stays
  // leased until the worker answers or the lease expires; what it measured counts if it was done by
  // then. cancelled already: no change. done or dead: conflict. not_found.
  Async<JobView> cancel(std::string id);

  // A dead job is queued again, at once and with all its attempts before it; a deadline that has
  // passed is dropped. queued already: no change. Any other state: conflict. not_found.
  Async<JobView> retry(std::string id);

  // Leases the next job to a registered worker, or gives nothing when none is queued. Order:
  // priority, then the campaign with the fewest leases, then the one served longest ago, then the
  // oldest job. The attempt is counted in the same statement. `token` is the id of the token that
  // holds the lease from now on; no other may use it. not_found if the worker is not registered.
  // With `beside`, an attempt whose lease the token holds (else invalid_argument at /beside): the
  // oldest race job of the same campaign, target version, baseline and priority, to be raced beside
  // it, or nothing. Neither job may have lost a counted attempt before: what may have cost others
  // their lease is then run alone.
  Async<std::optional<Lease>> claim(std::string worker, std::string token,
                                    std::int64_t lease_seconds, std::string beside = {});
  // The same for up to kMaxClaimants workers of one kind (WorkerStore::kinds) in one statement and
  // transaction: jobs are dealt out as if each had claimed by itself, in the order given.
  Async<Claims> claim_many(std::vector<Claimant> claimants, std::int64_t lease_seconds);

  // Extends the lease by lease_seconds from now. not_found; permission_denied if another token
  // holds it; expired once it ended, however it did.
  Async<HeartbeatReply> heartbeat(std::string attempt, std::string token,
                                  std::int64_t lease_seconds);

  // Counts a result: attempt, samples, binaries, states, decisions, experience, job and event, in
  // one transaction. The same result again (by body_sha256) succeeds again and changes nothing;
  // another is conflict. expired if the lease ended otherwise; not_found; permission_denied as
  // above. Outcome cancelled is taken only if cancellation was asked for (else conflict: hand the
  // lease back), ends the job as cancelled and leaves no experience. invalid_argument at
  // /reused_attempt if that is no completed attempt of the same target, or its samples are gone.
  Async<void> complete(std::string attempt, std::string token, AttemptResult result,
                       std::string body_sha256);

  // The same for several, in one transaction: each has its own answer, in the order given. A result
  // that the database refuses is counted, or refused, by itself.
  Async<std::vector<Result<void>>> complete_many(std::vector<Completion> completions);

  // The worker gives the lease back without a result. The job is queued again, or dead with the
  // reason if a counted attempt was its last, or cancelled if that was asked for. Doing it twice is
  // no error. not_found; permission_denied; expired if the lease ended otherwise.
  Async<EndedLease> hand_back(std::string attempt, std::string token, HandBack hand_back);

  // Ends the leases whose time is over, at most a few hundred a call, and tells what became of
  // them. None, if nobody noted for 2 s that he serves (ServedTime): they may have time to come.
  Async<std::vector<EndedLease>> expire_leases();
  // The queue's own housekeeping: jobs whose pause is over become ready, jobs past their deadline
  // are dead or their workers told, counts are added up. At most a thousand jobs of each a call.
  Async<QueueSweep> sweep_queue();

 private:
  PgPool& pool_;
  RetryPause pause_;
};

}  // namespace hone
