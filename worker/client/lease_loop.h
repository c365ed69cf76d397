// The worker's main loop: leases jobs, runs one heat a slot (worker/run/heat.h), reports. Thread
// safe; run() blocks.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/worker.h"
#include "worker/client/idle_clock.h"
#include "worker/client/job_server.h"
#include "worker/client/late_results.h"
#include "worker/client/result_delivery.h"
#include "worker/client/result_spool.h"
#include "worker/client/stop_deadline.h"
#include "worker/run/job_runner.h"

namespace hone {

struct LeaseLoopSettings {
  WorkerView worker;               // as registered
  std::vector<Slot> slots;         // at least one
  std::int64_t wait_seconds = 20;  // of one long poll
  bool once = false;               // end after one job
  // End when no slot has had a job for so long.
  std::optional<std::chrono::milliseconds> exit_when_idle = std::nullopt;
  std::size_t heat_size = 8;                   // jobs of a campaign that a slot holds at most
  std::chrono::milliseconds first_pause{500};  // after an error; doubles up to 15 s
  std::chrono::milliseconds delivery_patience = DeliverySettings{}.patience;
  // For all that honed is still to be told after a stop: results, and jobs that go back.
  std::chrono::milliseconds stop_patience{15'000};
};

class LeaseLoop {
 public:
  // All must outlive the loop.
  LeaseLoop(JobServer& server, LeaseRunner& runner, ResultSpool& spool, LeaseLoopSettings settings)
      : server_(server),
        runner_(runner),
        settings_(std::move(settings)),
        idle_(settings_.exit_when_idle),
        deadline_(all_.get_token(), settings_.stop_patience),
        sender_(server, runner, spool, deadline_.token()),
        late_(sender_, spool, settings_.first_pause,
              [this](const Error& error) { give_up(error); }),
        delivery_(sender_, late_,
                  {.first_pause = settings_.first_pause, .patience = settings_.delivery_patience},
                  [this](const Error& error) { give_up(error); }) {}

  // Registers, then leases until `stop`, or until it has been idle for long enough: both are a
  // success; what an earlier run left in the spool is sent meanwhile. A stop hands running jobs
  // back uncounted. What honed has not taken by stop_patience after it is in the spool, and a job
  // that was not handed back by then has its lease expire. Call once. The errors are those that
  // trying again does not mend: unauthenticated, permission_denied, invalid_argument (honed does
  // not take this worker); and, where it was to end when idle, that of a honed that did not answer
  // by then.
  Result<void> run(const std::stop_token& stop);

 private:
  Result<void> register_worker(const std::stop_token& stop);
  void serve_slot(const Slot& slot, const std::stop_token& stop);
  // With all that are measured beside it. Whether they ended in order, not by this machine's own
  // trouble.
  bool serve_lease(const Lease& lease, const Slot& slot, const std::stop_token& stop);
  void give_up(const Error& error);
  // After an orderly end alone: honed then misses this worker no more. Tried once.
  void say_good_bye();

  JobServer& server_;
  LeaseRunner& runner_;
  LeaseLoopSettings settings_;
  IdleClock idle_;
  std::atomic<bool> registered_ = false;  // honed knows of us
  std::mutex mutex_;                      // guards fatal_
  std::optional<Error> fatal_;
  std::stop_source all_;  // stops every slot
  StopDeadline deadline_;
  ResultSender sender_;
  LateResults late_;
  ResultDelivery delivery_;
};

}  // namespace hone
