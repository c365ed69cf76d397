#include "server/canaries/canary_controller.h"

#include <algorithm>
#include <cmath>

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/log.h"
#include "server/canaries/canary_machine.h"
#include "server/canaries/experience_writer.h"
#include "server/canaries/sli_reader.h"
#include "server/canaries/window_json.h"
#include "server/canaries/window_series.h"
#include "server/rewards/hard_limits.h"

namespace hone {
namespace {

// Behind a window's end, until its last scrape is stored.
double settling_seconds(const ServiceSpec& service) {
  return service.scrape_seconds + 0.5;
}

// A window may begin so much later than a scrape from now: on a whole second.
constexpr double kClockHair = 2;
// Until a balancer's check lets a canary in whose lease was renewed.
constexpr double kRiseSeconds = 3;
// Before a reward is tried again: doubled up to the longest, or where it takes somebody to mend it.
constexpr double kFirstPause = 1;
constexpr double kLongestPause = 60;
constexpr double kPauseUntilMended = 3'600;
// So many requests due to a canary are surely some: none has a chance of exp(-10).
constexpr double kSurelySome = 10;

// Weights are whole numbers, so that a share may be a little less than what was asked for. Of one
// that was not set yet it says nothing: steps may be as near to each other.
bool agrees(int in_force, int wanted) {
  return in_force <= wanted && 5 * in_force >= 4 * wanted;
}

}  // namespace

Async<void> CanaryController::tick() {
  Result<std::vector<CanaryView>> due = co_await store_.canaries().take_due(owner_, kOwnerSeconds);
  HONE_CO_TRY(const std::vector<CanaryView> canaries, std::move(due));
  first_ = Result<void>();
  const boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
  for (const CanaryView& canary : canaries) {
    if (!looks_.under_way(canary.id)) {
      looks_.start(executor, canary.id, look(canary));
    }
  }
  co_await looks_.wait(patience_);
  co_return first_;
}

boost::asio::awaitable<void> CanaryController::look(CanaryView canary) {
  const std::string id = canary.id;
  const Result<void> driven = co_await drive(std::move(canary));
  if (!driven.has_value() && driven.error().code != ErrorCode::conflict) {
    log_warning("canary_step_failed", {{"canary", id}, {"reason", driven.error().describe()}});
    first_ = first_.has_value() ? driven : first_;
  }
}

Async<void> CanaryController::drive(CanaryView canary) {
  Result<Known*> found = co_await known_of(canary);
  HONE_CO_TRY(Known* const known, std::move(found));
  Result<void> looked;
  if (!has_ended(canary.status.state)) {
    Async<CanaryView> look = canary.status.state == CanaryState::prepared
                                 ? begin(canary, *known)
                                 : read_windows(canary, *known);
    Result<CanaryView> now = co_await std::move(look);
    if (now) {
      canary = *std::move(now);
    } else {
      looked = now.error();
    }
  }
  if (!looked && looked.error().code == ErrorCode::conflict) {
    co_return looked.error();  // somebody else moved it: what is known here is old
  }
  // Traffic is corrected whatever was learnt, and above all when nothing was; but that of an ended
  // one that has followed may be another's by now.
  Result<bool> corrected = true;
  if (!has_ended(canary.status.state) || !canary.follows) {
    corrected = co_await correct_traffic(canary);
  }
  const bool follows = corrected.has_value() && *corrected;
  if (!looked || !follows || world_.now() > known->renewed + kServingSeconds) {
    known->served_since = 0;
  }
  bool taught = false;
  if (follows && has_ended(canary.status.state)) {
    taught = co_await teach(canary, *known);
  }
  if (follows != canary.follows) {
    CanaryStep step;
    step.status = canary.status;
    step.follows = follows;
    Result<CanaryView> noted = co_await store_.canaries().advance(canary.id, canary.revision, step);
    HONE_CO_TRY(canary, std::move(noted));
  }
  HONE_CO_CHECK(looked);
  HONE_CO_CHECK(corrected);
  if (has_ended(canary.status.state)) {
    if (taught) {
      known_.erase(canary.id);
    }
    co_return Result<void>();
  }
  if (follows && canary.status.share > 0) {
    if (known->series.empty() && known->began == 0) {
      known->began = std::ceil(world_.now() + canary.service.scrape_seconds);
    }
    const Result<void> renewed = co_await store_.canaries().renew_serving(
        canary.id, owner_, canary.revision, kServingSeconds);
    HONE_CO_CHECK(renewed);
    known->renewed = world_.now();
    known->served_since = known->served_since == 0 ? known->renewed : known->served_since;
  }
  co_return Result<void>();
}

boost::asio::awaitable<bool> CanaryController::teach(const CanaryView& canary, Known& known) {
  const double now = world_.now();
  // A clock that was set back lengthens no pause.
  if (now < known.taught_again && known.taught_again <= now + known.pause) {
    co_return false;
  }
  const Result<void> written =
      co_await write_experience(store_, canary, known.bounds, known.series);
  if (written) {
    co_return true;
  }
  const bool passing = may_pass(written.error().code);
  const std::string reason = written.error().describe();
  known.pause =
      passing ? std::clamp(2 * known.pause, kFirstPause, kLongestPause) : kPauseUntilMended;
  known.taught_again = now + known.pause;
  if (passing) {
    log_warning("canary_reward_late", {{"canary", canary.id},
                                       {"target", canary.spec.target},
                                       {"reason", reason},
                                       {"again_in_seconds", known.pause}});
  } else if (known.refused != reason) {
    known.refused = reason;
    log_error("canary_reward_refused",
              {{"canary", canary.id},
               {"target", canary.spec.target},
               {"reason", reason},
               {"advice", "its windows are kept, and it is tried again each hour"}});
  }
  if (world_.reward_failed) {
    world_.reward_failed(passing);
  }
  co_return false;
}

Async<CanaryView> CanaryController::begin(CanaryView canary, Known& known) {
  const double now = world_.now();
  if (now < known.budget_at + canary.service.window_seconds) {
    co_return canary;  // it waits, and was looked at just now
  }
  known.budget_at = now;
  const std::unique_ptr<MetricsSource> source = world_.metrics(canary.service);
  Result<ServedRequests> counted = co_await read_served(*source, canary.service, now);
  HONE_CO_TRY(const ServedRequests served, std::move(counted));
  const BudgetState budget = budget_state(canary.service.objective, served);
  CanaryInterval interval;
  interval.budget_left = !budget.spent();
  CanaryStep step;
  step.status = after_interval(canary.spec.ramp, canary.status, interval);
  step.budget = to_json(budget, served);
  Result<CanaryView> advanced =
      co_await store_.canaries().advance(canary.id, canary.revision, std::move(step));
  co_return advanced;
}

Async<CanaryView> CanaryController::read_windows(CanaryView canary, Known& known) {
  const double seconds = canary.service.window_seconds;
  const double ready = seconds + settling_seconds(canary.service);
  while (!has_ended(canary.status.state)) {
    const double start = known.series.empty() ? known.began : known.series.back().start + seconds;
    if (start > world_.now() + canary.service.scrape_seconds + kClockHair) {
      // Else it would have its lease until then, with nobody looking.
      co_return fail(ErrorCode::unavailable,
                     fmt::format("the clock was set back: the next window begins in {:.0f} s",
                                 start - world_.now()));
    }
    if (start == 0 || world_.now() < start + ready) {
      break;
    }
    Result<CanaryView> taken = co_await take_window(std::move(canary), known, start);
    HONE_CO_TRY(canary, std::move(taken));
  }
  co_return canary;
}

Async<CanaryView> CanaryController::take_window(CanaryView canary, Known& known, double start) {
  const ServiceSpec& service = canary.service;
  const std::unique_ptr<MetricsSource> source = world_.metrics(service);
  Result<SliWindow> read = co_await read_sli(*source, service, start, known.bounds);
  Result<ServedRequests> counted =
      co_await read_served(*source, service, start + service.window_seconds);
  const double given_up =
      start + static_cast<double>(canary.spec.ramp.most_lost + 1) * service.window_seconds;
  if ((!read || !counted) && world_.now() < given_up) {
    co_return read ? counted.error() : read.error();  // asked again at the next look
  }
  SliWindow window =
      read ? *read : lost_window(start, service.window_seconds, WindowOutcome::no_data);
  if (was_unreached(canary, known, window)) {
    window.canary.outcome = WindowOutcome::unreached;
  }
  std::vector<SliWindow> series = known.series;
  series.push_back(window);
  JudgeSettings settings{.rules = canary.spec.rules};
  CanaryJudgement judgement;
  bool judgeable = true;
  if (!known.bounds.empty()) {
    Result<CanaryJudgement> judged = judge_canary(known.bounds, series, settings);
    // Windows that nobody can judge tell nothing, and too many of these end it.
    judgeable = judged.has_value();
    if (judged) {
      judgement = *std::move(judged);
    } else {
      judgement.reason = judged.error().describe();
    }
  } else {
    judgement.reason = "Prometheus has no series of the service";
  }
  CanaryInterval interval;
  interval.window_known = window.ok() && judgeable;
  interval.finding = judgement.finding;
  interval.finding_reason = judgement.reason;
  interval.traffic_follows = canary.follows;
  if (auto why = breach(known.bounds, series, {.limits = service.limits})) {
    interval.breach = Breach{*std::move(why)};
  }
  CanaryStep step;
  interval.budget_known = counted.has_value();
  if (counted) {
    const BudgetState budget = budget_state(service.objective, *counted);
    interval.budget_left = !budget.spent();
    step.budget = to_json(budget, *counted);
  }
  if (canary.status.state == CanaryState::judged) {
    Result<std::optional<std::string>> obstacle = co_await obstacle_to(canary);
    HONE_CO_TRY(interval.obstacle, std::move(obstacle));
  }
  step.status = after_interval(canary.spec.ramp, canary.status, interval);
  step.follows = canary.follows && step.status.share == canary.status.share;
  step.judgement = to_json(judgement);
  step.window = stored_window(window, canary, known.bounds);
  Result<CanaryView> advanced =
      co_await store_.canaries().advance(canary.id, canary.revision, std::move(step));
  HONE_CO_TRY(CanaryView now, std::move(advanced));
  known.series = std::move(series);
  if (world_.window_taken) {
    world_.window_taken(window.canary.outcome == WindowOutcome::ok ? window.baseline.outcome
                                                                   : window.canary.outcome);
  }
  if (now.status.state != canary.status.state || now.status.share != canary.status.share) {
    log_info("canary_moved", {{"canary", now.id},
                              {"target", now.spec.target},
                              {"state", to_string(now.status.state)},
                              {"share", now.status.share},
                              {"reason", now.status.reason}});
  }
  co_return now;
}

Async<std::optional<std::string>> CanaryController::obstacle_to(const CanaryView& canary) {
  const Result<void> may =
      co_await store_.policies().check_promotion(canary.spec.target, canary.spec.policy_version);
  if (may) {
    co_return std::optional<std::string>();
  }
  if (may.error().code != ErrorCode::conflict && may.error().code != ErrorCode::permission_denied) {
    co_return may.error();
  }
  co_return std::optional<std::string>(may.error().message);
}

// A canary that crashes before it has served anything shows no counter that fell: its balancer
// holds it for down and gives it nothing. Not one whose lease was not kept, which is drained.
bool CanaryController::was_unreached(const CanaryView& canary, const Known& known,
                                     const SliWindow& window) const {
  const double share = canary.status.share / 100.0;
  return window.canary.outcome == WindowOutcome::no_traffic &&
         window.baseline.outcome == WindowOutcome::ok && known.served_since > 0 &&
         known.served_since + kRiseSeconds <= window.start &&
         window.baseline.requests * share >= kSurelySome * (1 - share) &&
         std::ranges::any_of(known.series, [](const SliWindow& each) { return each.ok(); });
}

Async<bool> CanaryController::correct_traffic(const CanaryView& canary) {
  if (canary.superseded) {
    co_return true;  // its successor has the traffic, and must not get what this one was given
  }
  const std::unique_ptr<TrafficDriver> driver = world_.traffic(canary.service.traffic);
  const int wanted = canary.status.share;
  const Result<int> in_force = co_await driver->share();
  if (in_force.has_value() &&
      (*in_force == wanted || (canary.follows && agrees(*in_force, wanted)))) {
    co_return true;
  }
  // A look may have taken long: another coordinator, or somebody by hand, ended the canary
  // meanwhile, and nobody would look at its traffic again.
  Result<CanaryView> newest = co_await store_.canaries().find(canary.id);
  HONE_CO_TRY(const CanaryView now, std::move(newest));
  if (now.revision != canary.revision || now.superseded) {
    co_return fail(ErrorCode::conflict, "the canary was changed meanwhile");
  }
  const Result<void> set = co_await driver->set_share(wanted);
  HONE_CO_CHECK(set);
  co_return true;
}

Async<CanaryController::Known*> CanaryController::known_of(const CanaryView& canary) {
  const auto there = known_.find(canary.id);
  if (there != known_.end() &&
      static_cast<std::int64_t>(there->second.series.size()) == canary.windows) {
    co_return &there->second;
  }
  // New to us, or another coordinator drove it meanwhile.
  Result<std::vector<CanaryWindow>> stored = co_await store_.canaries().windows(canary.id);
  HONE_CO_TRY(const std::vector<CanaryWindow> windows, std::move(stored));
  Known known;
  HONE_CO_TRY(WindowSeries parsed, parse_series(windows));
  known.bounds = std::move(parsed.bounds);
  known.series = std::move(parsed.windows);
  co_return &known_.insert_or_assign(canary.id, std::move(known)).first->second;
}

boost::asio::awaitable<void> run_canaries(CanaryController& controller, Background& background,
                                          std::chrono::milliseconds interval) {
  while (!background.stopping()) {
    const Result<void> ticked = co_await controller.tick();
    if (!ticked.has_value()) {
      log_debug("canaries_late", {{"reason", ticked.error().message}});
    }
    co_await background.sleep(interval);
  }
  co_await controller.settle();
}

}  // namespace hone
