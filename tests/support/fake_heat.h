// The leases of a heat in memory: gives those it was given, keeps what became of each.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "worker/run/job_runner.h"

namespace hone {

class FakeHeat final : public HeatLeases {
 public:
  // At least one.
  FakeHeat(LeaseRunner& runner, const std::vector<Lease>& leases) : runner_(runner) {
    for (const Lease& lease : leases) {
      auto entry = std::make_unique<Entry>();
      entry->held = {lease, entry->stop.get_token()};
      entries_.push_back(std::move(entry));
    }
  }

  const HeldLease& first() const override { return entries_.front()->held; }
  const HeldLease* another() override {
    on_another();
    if (given_ == entries_.size() || ends.size() + handed_back.size() == given_) {
      return nullptr;  // nobody is left to ask beside
    }
    return &entries_[given_++]->held;
  }
  bool end(const HeldLease& held, Result<AttemptResult> result) override {
    const std::string& attempt = held.lease.attempt;
    ends.push_back(attempt);
    if (counts && result) {
      runner_.accepted(held.lease, *result);
    }
    results.emplace(attempt, std::move(result));
    return counts;
  }
  void hand_back(const HeldLease& held, const std::string& reason) override {
    handed_back[held.lease.attempt] = reason;
  }
  void stop(const std::string& attempt) {
    const auto found = std::ranges::find_if(
        entries_, [&](const auto& entry) { return entry->held.lease.attempt == attempt; });
    (*found)->stop.request_stop();
  }

  bool counts = true;                        // whether honed takes results
  std::function<void()> on_another = [] {};  // before each answer
  std::vector<std::string> ends;             // attempts, in the order of their ends
  std::map<std::string, Result<AttemptResult>> results;
  std::map<std::string, std::string> handed_back;  // with the reason

 private:
  struct Entry {
    std::stop_source stop;
    HeldLease held;
  };

  LeaseRunner& runner_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::size_t given_ = 1;
};

}  // namespace hone
