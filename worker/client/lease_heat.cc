#include "worker/client/lease_heat.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "common/base/log.h"

namespace hone {
namespace {

// Whoever ends all programs of a machine or an array job (a shutdown, Slurm) signals them one after
// the other: a compiler or a benchmark may be gone a moment before we hear of it.
constexpr std::chrono::milliseconds kStopIsHeardOf{500};

// Whether a failure may be the stop's own doing.
bool stopped_meanwhile(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, kStopIsHeardOf, [] { return false; });
  return stop.stop_requested();
}

}  // namespace

LeaseHeat::LeaseHeat(JobServer& server, ResultDelivery& delivery, HeatSettings settings,
                     const Lease& first, const std::stop_token& stop)
    : server_(server), delivery_(delivery), settings_(std::move(settings)), stop_(stop) {
  add(first);
}

const HeldLease& LeaseHeat::add(const Lease& lease) {
  log_info("job_started", {{"job", lease.job},
                           {"attempt", lease.attempt},
                           {"target", lease.target.name},
                           {"stage", to_string(lease.stage)},
                           {"slot", settings_.slot},
                           {"beside", entries_.empty() ? "" : first().lease.attempt}});
  auto entry = std::make_unique<Entry>();
  entry->held.lease = lease;
  entry->watch = std::make_unique<LeaseWatch>(server_, lease, stop_);
  entry->held.stop = entry->watch->job_stop();
  entries_.push_back(std::move(entry));
  return entries_.back()->held;
}

LeaseHeat::Entry& LeaseHeat::entry_of(const HeldLease& held) {
  const auto found = std::ranges::find_if(
      entries_, [&](const std::unique_ptr<Entry>& entry) { return &entry->held == &held; });
  return **found;
}

bool LeaseHeat::may_grow() const {
  const auto held = static_cast<std::size_t>(std::ranges::count_if(
      entries_, [](const std::unique_ptr<Entry>& entry) { return entry->watch != nullptr; }));
  return !first().lease.campaign.empty() && first().lease.stage == Stage::race &&
         held < settings_.size && in_order_ && !stop_.stop_requested();
}

const HeldLease* LeaseHeat::another() {
  if (!may_grow()) {
    return nullptr;
  }
  const auto beside = std::ranges::find_if(entries_, [](const std::unique_ptr<Entry>& entry) {
    return entry->watch && entry->watch->state() == LeaseState::held;
  });
  if (beside == entries_.end()) {
    return nullptr;
  }
  LeaseRequest request;
  request.worker = settings_.worker;
  request.wait_seconds = 0;
  request.beside = (*beside)->held.lease.attempt;
  const Result<std::optional<Lease>> lease = server_.lease(request, stop_);
  if (!lease) {
    log_warning("no_companion", {{"beside", request.beside}, {"why", lease.error().describe()}});
    return nullptr;
  }
  if (!lease->has_value()) {
    return nullptr;
  }
  if (!is_companion(**lease)) {
    delivery_.hand_back(**lease, "it cannot be raced beside attempt " + request.beside, false);
    return nullptr;
  }
  return &add(**lease);
}

bool LeaseHeat::is_companion(const Lease& lease) const {
  const Lease& ours = first().lease;
  return lease.campaign == ours.campaign && lease.stage == ours.stage &&
         lease.baseline == ours.baseline && lease.target == ours.target;
}

bool LeaseHeat::end(const HeldLease& held, Result<AttemptResult> result) {
  Entry& entry = entry_of(held);
  const bool counted = settle(entry.held.lease, entry.watch->state(), std::move(result));
  entry.watch.reset();
  return counted;
}

void LeaseHeat::hand_back(const HeldLease& held, const std::string& reason) {
  Entry& entry = entry_of(held);
  if (entry.watch->state() != LeaseState::lost) {
    delivery_.hand_back(entry.held.lease, reason, false);
  }
  entry.watch.reset();
}

bool LeaseHeat::settle(const Lease& lease, LeaseState state, Result<AttemptResult> result) {
  if (state == LeaseState::lost) {
    log_warning("job_dropped", {{"attempt", lease.attempt}});
    return false;
  }
  if (!result) {
    log_error("job_failed", {{"attempt", lease.attempt}, {"why", result.error().describe()}});
    delivery_.hand_back(lease, result.error().describe(), !stopped_meanwhile(stop_));
    in_order_ = false;
    return false;
  }
  if (result->outcome == Outcome::cancelled) {
    if (state != LeaseState::cancelled) {
      delivery_.hand_back(lease, "the worker was stopped", false);
      return false;
    }
    result->reason = "cancelled while it ran";
  } else if (result->outcome != Outcome::ok && stopped_meanwhile(stop_)) {
    delivery_.hand_back(lease, "the worker was stopped", false);
    return false;
  }
  log_info("job_ended", {{"job", lease.job},
                         {"attempt", lease.attempt},
                         {"outcome", to_string(result->outcome)},
                         {"reason", result->reason.substr(0, 500)}});
  return delivery_.keep_and_deliver(lease, *std::move(result), stop_);
}

bool LeaseHeat::close() {
  for (const std::unique_ptr<Entry>& entry : entries_) {
    if (entry->watch) {
      end(entry->held, fail(ErrorCode::internal, "the runner told no end of the job"));
    }
  }
  return in_order_;
}

}  // namespace hone
