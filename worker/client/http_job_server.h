// JobServer over REST. Thread safe.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common/base/trace_context.h"
#include "common/client/client.h"
#include "common/client/kept_connection.h"
#include "worker/client/job_server.h"

namespace hone {

// What concerns a lease goes on in its job's trace: header traceparent, a fresh span a request.
// Polls for jobs follow each other on one connection a slot, as long as none comes; whoever has a
// job needs none for minutes.
class HttpJobServer final : public JobServer {
 public:
  explicit HttpJobServer(Client client) : client_(std::move(client)) {}

  Result<void> register_worker(const WorkerView& worker, const std::stop_token& stop) override;
  Result<void> leave(const std::string& worker) override;
  Result<std::optional<Lease>> lease(const LeaseRequest& request,
                                     const std::stop_token& stop) override;
  Result<HeartbeatReply> heartbeat(const std::string& attempt,
                                   const std::stop_token& stop) override;
  Result<void> complete(const std::string& attempt, const AttemptResult& result,
                        const std::stop_token& stop) override;
  Result<void> hand_back(const std::string& attempt, const HandBack& hand_back,
                         const std::stop_token& stop) override;
  Result<void> download(const std::string& sha256, const std::filesystem::path& path,
                        std::uint64_t limit, const std::stop_token& stop) override;

 private:
  RequestOptions options_for(const std::string& attempt, const std::stop_token& stop);
  Error refuse_lease(const Json& reply, const Error& why);
  void forget(const std::string& attempt);
  Result<Json> told_end(const std::string& attempt, Result<Json> reply);
  KeptConnection take_connection();
  void keep_connection(KeptConnection connection);

  Client client_;
  std::mutex mutex_;                            // guards what follows
  std::map<std::string, TraceContext> traces_;  // of leases that are held, by attempt
  std::vector<KeptConnection> connections_;     // between two polls: as many as slots at most
};

}  // namespace hone
