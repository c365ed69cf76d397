// What a worker asks of honed. HttpJobServer speaks REST; tests have one in memory.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "common/protocol/attempt_result.h"
#include "common/protocol/lease.h"
#include "common/protocol/worker.h"
#include "worker/artifacts/artifact_cache.h"

namespace hone {

// Errors of every call: unavailable and timed_out (trying again may help), unauthenticated and
// permission_denied (it will not), cancelled (the stop token). Implementations are thread safe.
class JobServer : public ArtifactSource {
 public:
  virtual Result<void> register_worker(const WorkerView& worker, const std::stop_token& stop) = 0;
  // Good-bye: it will ask for nothing more. not_found also of a honed that knows no good-bye.
  virtual Result<void> leave(const std::string& worker) = 0;
  // Nothing if no job came within the request's wait. not_found if the worker is not registered.
  virtual Result<std::optional<Lease>> lease(const LeaseRequest& request,
                                             const std::stop_token& stop) = 0;
  // expired or not_found once the lease is lost.
  virtual Result<HeartbeatReply> heartbeat(const std::string& attempt,
                                           const std::stop_token& stop) = 0;
  // Counted, also if this very result was counted before. expired, not_found or conflict once it
  // never will be; invalid_argument or too_large for a result that honed does not take.
  virtual Result<void> complete(const std::string& attempt, const AttemptResult& result,
                                const std::stop_token& stop) = 0;
  virtual Result<void> hand_back(const std::string& attempt, const HandBack& hand_back,
                                 const std::stop_token& stop) = 0;
};

}  // namespace hone
