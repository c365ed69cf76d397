#include "worker/client/lease_loop.h"

#include <chrono>
#include <functional>
#include <thread>

#include "common/base/log.h"
#include "worker/client/back_off.h"
#include "worker/client/lease_heat.h"
#include "worker/run/lease_log_scope.h"

namespace hone {

Result<void> LeaseLoop::run(const std::stop_token& stop) {
  const std::stop_callback<std::function<void()>> outer(stop, [this] { all_.request_stop(); });
  const std::stop_token all = all_.get_token();
  HONE_CHECK(register_worker(all));
  late_.take_spooled();
  {
    std::vector<std::jthread> threads;
    for (const Slot& slot : settings_.slots) {
      threads.emplace_back([this, slot, all] { serve_slot(slot, all); });
    }
  }
  late_.finish();
  {
    const std::lock_guard lock(mutex_);
    if (fatal_) {
      return *fatal_;  // who ends by an error is missed until it is there again
    }
  }
  say_good_bye();
  return {};
}

// All slots are done, and what they held is counted or handed back.
void LeaseLoop::say_good_bye() {
  if (!registered_) {
    return;
  }
  const Result<void> left = server_.leave(settings_.worker.name);
  if (left) {
    log_info("worker_left", {{"worker", settings_.worker.name}});
  } else {
    log_warning("leave_failed", {{"why", left.error().message},
                                 {"advice", "honed will call this worker silent for a day"}});
  }
}

Result<void> LeaseLoop::register_worker(const std::stop_token& stop) {
  BackOff back_off(settings_.first_pause);
  while (!stop.stop_requested()) {
    const Result<void> registered = server_.register_worker(settings_.worker, stop);
    if (registered) {
      registered_ = true;
      log_info("worker_registered",
               {{"worker", settings_.worker.name}, {"slots", settings_.worker.slots}});
      break;
    }
    if (is_hopeless(registered.error().code)) {
      return registered.error();
    }
    if (idle_.over()) {
      return registered.error();
    }
    if (!stop.stop_requested()) {
      log_warning("register_failed", {{"why", registered.error().message}});
      back_off.wait(stop);
    }
  }
  return {};
}

void LeaseLoop::give_up(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!fatal_) {
    fatal_ = error;
  }
  all_.request_stop();
}

void LeaseLoop::serve_slot(const Slot& slot, const std::stop_token& stop) {
  LeaseRequest request;
  request.worker = settings_.worker.name;
  BackOff back_off(settings_.first_pause);
  while (!stop.stop_requested()) {
    request.wait_seconds = idle_.wait_seconds(settings_.wait_seconds);
    const auto asked = std::chrono::steady_clock::now();
    const Result<std::optional<Lease>> lease = server_.lease(request, stop);
    if (!lease) {
      if (stop.stop_requested()) {
        return;
      }
      if (is_hopeless(lease.error().code) || idle_.over()) {
        return give_up(lease.error());
      }
      log_warning("lease_failed", {{"slot", slot.number}, {"why", lease.error().message}});
      back_off.wait(stop);
      if (lease.error().code == ErrorCode::not_found) {
        // honed does not know us, for example after its database was restored.
        if (const Result<void> again = register_worker(stop); !again) {
          return give_up(again.error());
        }
      }
      continue;
    }
    if (!lease->has_value()) {
      back_off.reset();
      if (idle_.over()) {
        // Other slots are within a wait: honed takes back what it grants to one that has left.
        log_info("idle",
                 {{"slot", slot.number}, {"advice", "no job came: ending, as it was told"}});
        all_.request_stop();
        return;
      }
      if (std::chrono::steady_clock::now() - asked <
          std::chrono::seconds(request.wait_seconds) / 2) {
        // A honed that stops, or something before it, did not let us wait.
        BackOff(settings_.first_pause).wait(stop);
      }
      continue;
    }
    const bool in_order = serve_lease(**lease, slot, stop);
    if (settings_.once) {
      all_.request_stop();
      return;
    }
    if (in_order) {
      back_off.reset();
    } else {
      back_off.wait(stop);  // a full disk must not use up the attempts of every job there is
    }
  }
}

bool LeaseLoop::serve_lease(const Lease& lease, const Slot& slot, const std::stop_token& stop) {
  const IdleClock::Busy busy(idle_);
  // Of the whole heat; what is done for another of its jobs alone says so.
  const LeaseLogScope scope(lease);
  LeaseHeat heat(server_, delivery_,
                 {.worker = settings_.worker.name,
                  .slot = slot.number,
                  .size = settings_.once ? 1 : settings_.heat_size},
                 lease, stop);
  runner_.run_heat(heat, slot, stop);
  return heat.close();
}

}  // namespace hone
