// The leases that one slot holds at a time: each with its own heartbeats, its own stop and its own
// end. Not thread safe; the watches have threads of their own.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "worker/client/job_server.h"
#include "worker/client/lease_watch.h"
#include "worker/client/result_delivery.h"
#include "worker/run/heat_leases.h"

namespace hone {

struct HeatSettings {
  std::string worker;
  int slot = 0;          // for the log
  std::size_t size = 1;  // leases held at once, at most
};

class LeaseHeat final : public HeatLeases {
 public:
  // All must outlive it.
  LeaseHeat(JobServer& server, ResultDelivery& delivery, HeatSettings settings, const Lease& first,
            const std::stop_token& stop);

  const HeldLease& first() const override { return entries_.front()->held; }
  // A job that is no companion of the first (of a honed that does not know the question) goes back.
  const HeldLease* another() override;
  // A lost lease is dropped; trouble hands the job back, counted unless the worker is to stop; so
  // does outcome cancelled, uncounted, if nobody cancelled the job.
  bool end(const HeldLease& held, Result<AttemptResult> result) override;
  void hand_back(const HeldLease& held, const std::string& reason) override;

  // Hands back what the runner left without an end. Whether all ended in order, none by this
  // machine's own trouble.
  bool close();

 private:
  struct Entry {
    HeldLease held;
    std::unique_ptr<LeaseWatch> watch;  // until the end of the job
  };

  const HeldLease& add(const Lease& lease);
  Entry& entry_of(const HeldLease& held);
  bool may_grow() const;
  bool is_companion(const Lease& lease) const;
  bool settle(const Lease& lease, LeaseState state, Result<AttemptResult> result);

  JobServer& server_;
  ResultDelivery& delivery_;
  HeatSettings settings_;
  const std::stop_token& stop_;
  std::vector<std::unique_ptr<Entry>> entries_;
  bool in_order_ = true;
};

}  // namespace hone
