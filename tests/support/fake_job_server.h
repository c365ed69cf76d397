// A honed in memory: hands out the leases it was given, records what comes back, fails on request.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "common/base/file.h"
#include "worker/client/job_server.h"

namespace hone {

class FakeJobServer final : public JobServer {
 public:
  Result<void> register_worker(const WorkerView& worker, const std::stop_token&) override {
    const std::lock_guard lock(mutex);
    if (fail_next("register")) {
      return failure;
    }
    registered.push_back(worker.name);
    return {};
  }

  Result<void> leave(const std::string& worker) override {
    const std::lock_guard lock(mutex);
    if (fail_next("leave")) {
      return failure;
    }
    good_byes.push_back(worker);
    leases_at_good_bye = handed_back.size() + results.size();
    return {};
  }

  Result<std::optional<Lease>> lease(const LeaseRequest& request,
                                     const std::stop_token& stop) override {
    std::unique_lock lock(mutex);
    if (!request.beside.empty()) {
      return companion(request.beside);
    }
    if (fail_next("lease")) {
      return failure;
    }
    changed_.wait_for(lock, stop, std::chrono::milliseconds(50), [&] { return !queue.empty(); });
    if (stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "stopped");
    }
    if (queue.empty()) {
      return std::optional<Lease>();
    }
    return take(queue.begin());
  }

  Result<HeartbeatReply> heartbeat(const std::string& attempt, const std::stop_token&) override {
    const std::lock_guard lock(mutex);
    ++beats;
    if (fail_next("heartbeat")) {
      return failure;
    }
    if (lost.contains(attempt)) {
      return fail(ErrorCode::expired, "the lease has expired");
    }
    HeartbeatReply reply;
    reply.ttl_seconds = 1;
    reply.cancelled = cancelled.contains(attempt);
    return reply;
  }

  Result<void> complete(const std::string& attempt, const AttemptResult& result,
                        const std::stop_token& stop) override {
    std::unique_lock lock(mutex);
    ++completions;
    if (hang("complete", lock, stop)) {
      return fail(ErrorCode::cancelled, "stopped");
    }
    if (fail_next("complete")) {
      return failure;
    }
    if (const auto refusal = refusals.find(attempt); refusal != refusals.end()) {
      return refusal->second;
    }
    if (lost.contains(attempt)) {
      return fail(ErrorCode::expired, "the lease has expired");
    }
    results[attempt] = result;
    return {};
  }

  Result<void> hand_back(const std::string& attempt, const HandBack& hand_back,
                         const std::stop_token& stop) override {
    std::unique_lock lock(mutex);
    if (hang("hand_back", lock, stop)) {
      return fail(ErrorCode::cancelled, "stopped");
    }
    handed_back[attempt] = hand_back;
    return {};
  }

  Result<void> download(const std::string& sha256, const std::filesystem::path& path,
                        std::uint64_t limit, const std::stop_token&) override {
    const std::lock_guard lock(mutex);
    ++downloads;
    const auto found = artifacts.find(sha256);
    if (found == artifacts.end()) {
      return fail(ErrorCode::not_found, "no artifact " + sha256);
    }
    if (found->second.size() > limit) {
      return fail(ErrorCode::too_large, "artifact is too large");
    }
    return write_file_atomically(path, found->second);
  }

  void offer(Lease lease) {
    const std::lock_guard lock(mutex);
    queue.push_back(std::move(lease));
    changed_.notify_all();
  }

  std::mutex mutex;
  std::deque<Lease> queue;
  std::vector<std::string> registered;
  std::vector<std::string> good_byes;  // workers
  std::size_t leases_at_good_bye = 0;  // that had ended when the last one left
  std::set<std::string> cancelled;     // attempts
  std::set<std::string> lost;
  std::map<std::string, AttemptResult> results;
  std::map<std::string, HandBack> handed_back;
  std::map<std::string, std::string> artifacts;  // content by SHA-256
  std::vector<std::string> asked_beside;         // attempts
  bool knows_beside = true;                      // or is older, and gives any job instead
  int beats = 0;
  int completions = 0;
  int downloads = 0;
  // How many of the next calls of a kind fail, and how.
  std::map<std::string, int> failures;
  std::map<std::string, Error> refusals;  // of results, by attempt
  std::set<std::string> hanging;          // kinds of calls that have no answer until their stop
  Error failure = fail(ErrorCode::unavailable, "no answer");

 private:
  Result<std::optional<Lease>> companion(const std::string& beside) {
    asked_beside.push_back(beside);
    if (fail_next("beside")) {
      return failure;
    }
    const auto found = std::ranges::find_if(queue, [&](const Lease& lease) {
      return !knows_beside || (lease.campaign == campaigns_[beside] && lease.stage == Stage::race);
    });
    return found == queue.end() ? std::optional<Lease>() : take(found);
  }
  std::optional<Lease> take(std::deque<Lease>::iterator at) {
    Lease next = *at;
    queue.erase(at);
    campaigns_[next.attempt] = next.campaign;
    return next;
  }
  // Whether the call has no answer; its stop has come then.
  bool hang(const std::string& kind, std::unique_lock<std::mutex>& lock,
            const std::stop_token& stop) {
    if (!hanging.contains(kind)) {
      return false;
    }
    changed_.wait(lock, stop, [] { return false; });
    return true;
  }
  bool fail_next(const std::string& kind) {
    int& left = failures[kind];
    return left > 0 && left-- > 0;
  }

  std::condition_variable_any changed_;
  std::map<std::string, std::string> campaigns_;  // by attempt
};

}  // namespace hone
