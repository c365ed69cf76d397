// Asks for the error budgets of services whether a canary is under way or not, so that it is known
// before one begins what it may spend, and that a policy is not put in force while it is spent.
// Beside the canaries, which never wait for it. Not thread safe.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "server/canaries/canary_world.h"
#include "server/canaries/looks.h"
#include "server/jobs/background.h"
#include "server/store/store.h"

namespace hone {

// Between two looks at a service without a canary; one with a canary is looked at each window.
inline constexpr std::int64_t kBudgetSeconds = 30;

class BudgetWatch {
 public:
  // `store` outlives it.
  BudgetWatch(Store& store, CanaryWorld world) : store_(store), world_(std::move(world)) {}

  // Begins a look at every service whose turn it is, and waits for them for two seconds: a slow
  // Prometheus of one service delays no other's. What it does not tell leaves the last answer, with
  // its time; that is logged when it begins and when it ends.
  Async<void> tick();
  // What is not told any more is no silence.
  void stop() { stopped_ = true; }
  // Until no look is under way.
  boost::asio::awaitable<void> settle() { return looks_.settle(); }

 private:
  boost::asio::awaitable<void> look(UnaskedService service);
  Async<void> note(const UnaskedService& service);

  Store& store_;
  CanaryWorld world_;
  bool stopped_ = false;
  Looks looks_;
  std::map<std::string, bool> silent_;  // by target: whether its Prometheus did not answer
};

// Ticks until `background` stops.
boost::asio::awaitable<void> run_budget_watch(BudgetWatch& watch, Background& background);

}  // namespace hone
