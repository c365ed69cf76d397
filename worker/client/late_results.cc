#include "worker/client/late_results.h"

#include <utility>

#include "common/base/log.h"
#include "worker/client/back_off.h"

namespace hone {
namespace {

// Who had no answer to one will have none to the next.
bool is_away(ErrorCode code) {
  return code == ErrorCode::unavailable || code == ErrorCode::timed_out ||
         code == ErrorCode::cancelled;
}

}  // namespace

LateResults::LateResults(ResultSender& sender, ResultSpool& spool,
                         std::chrono::milliseconds first_pause,
                         std::function<void(const Error&)> give_up)
    : sender_(sender),
      spool_(spool),
      first_pause_(first_pause),
      give_up_(std::move(give_up)),
      thread_([this](const std::stop_token& ended) { run(ended); }) {}

bool LateResults::take(HeldResult& held) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() + in_round_ >= kMost || (!held.kept && in_memory_ >= kMostInMemory)) {
    return false;
  }
  Waiting one{held.entry.lease.attempt};
  if (!held.kept) {
    one.in_memory = std::move(held);
    ++in_memory_;
  }
  waiting_.push_back(std::move(one));
  changed_.notify_all();
  return true;
}

void LateResults::take_spooled() {
  const std::lock_guard lock(mutex_);
  for (std::string& attempt : spool_.attempts()) {
    if (waiting_.size() + in_round_ >= kMost) {
      log_warning("spool_is_long", {{"why", "more results than " + std::to_string(kMost) +
                                                " wait there; the next start sends the rest"}});
      break;
    }
    log_info("spooled_result_found", {{"attempt", attempt}});
    waiting_.push_back({std::move(attempt)});
  }
  changed_.notify_all();
}

bool LateResults::any() const {
  const std::lock_guard lock(mutex_);
  return in_round_ > 0 || !waiting_.empty();
}

void LateResults::run(const std::stop_token& ended) {
  BackOff back_off(first_pause_);
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, ended, [this] { return !waiting_.empty(); });
    }
    if (ended.stop_requested()) {
      return;
    }
    if (round()) {
      back_off.reset();
    }
    back_off.wait(ended);
  }
}

bool LateResults::round() {
  std::vector<Waiting> all;
  {
    const std::lock_guard lock(mutex_);
    all = std::exchange(waiting_, {});
    in_round_ = all.size();
  }
  std::vector<Waiting> left;
  bool away = false;
  for (Waiting& one : all) {
    const Next next = away ? Next::keep : send(one);
    away = away || next == Next::keep_and_pause;
    if (next != Next::gone) {
      left.push_back(std::move(one));
    }
  }
  const bool some_left = left.size() < all.size();
  put_back(std::move(left));
  return some_left;
}

void LateResults::put_back(std::vector<Waiting> left) {
  const std::lock_guard lock(mutex_);
  in_round_ = 0;
  waiting_.insert(waiting_.begin(), std::make_move_iterator(left.begin()),
                  std::make_move_iterator(left.end()));
  in_memory_ = 0;
  for (const Waiting& one : waiting_) {
    in_memory_ += one.in_memory ? 1 : 0;
  }
}

LateResults::Next LateResults::send(Waiting& waiting) {
  HeldResult held;
  if (waiting.in_memory) {
    held = *std::move(waiting.in_memory);
    waiting.in_memory.reset();
    if (sender_.keep(held)) {
      log_info("result_spooled", {{"attempt", waiting.attempt}});
    }
  } else {
    Result<SpooledResult> read = spool_.read(waiting.attempt);
    if (!read) {
      return Next::gone;  // set aside, and said
    }
    held = {*std::move(read), true};
  }
  const SendAnswer answer = sender_.send(held);
  if (answer.sent == Sent::not_ours) {
    ResultSender::tell_left(held, answer.why->message);
    if (answer.why->code == ErrorCode::unauthenticated) {
      give_up_(*answer.why);
    }
    return Next::gone;  // the spool keeps it for a better token
  }
  if (answer.sent != Sent::later) {
    return Next::gone;
  }
  log_warning("result_waits", {{"attempt", waiting.attempt}, {"why", answer.why->message}});
  if (!held.kept) {
    waiting.in_memory = std::move(held);
  }
  return is_away(answer.why->code) ? Next::keep_and_pause : Next::keep;
}

void LateResults::finish() {
  thread_.request_stop();
  thread_.join();
  BackOff back_off(first_pause_);
  // Nobody else is left, so that no lock is needed from here on.
  while (!waiting_.empty() && !sender_.over().stop_requested()) {
    round();
    if (in_memory_ == 0) {
      break;
    }
    back_off.wait(sender_.over());
  }
  for (const Waiting& one : waiting_) {
    HeldResult held;
    held.entry.lease.attempt = one.attempt;
    held.kept = !one.in_memory;
    ResultSender::tell_left(one.in_memory ? *one.in_memory : held,
                            "honed did not take it before the worker ended");
  }
}

}  // namespace hone
