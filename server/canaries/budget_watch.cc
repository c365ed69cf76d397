#include "server/canaries/budget_watch.h"

#include "common/base/log.h"
#include "server/canaries/sli_reader.h"
#include "server/canaries/window_json.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kInterval{2'000};

}  // namespace

Async<void> BudgetWatch::tick() {
  Result<std::vector<NamedService>> taken = co_await store_.services().take_unasked(kBudgetSeconds);
  HONE_CO_TRY(const std::vector<NamedService> due, std::move(taken));
  for (const NamedService& service : due) {
    const Result<void> looked = co_await look(service);
    if (stopped_) {
      break;  // what was not asked any more is no silence
    }
    const bool silent = !looked.has_value();
    if (silent != silent_[service.target]) {
      silent_[service.target] = silent;
      silent ? log_warning("budget_unknown",
                           {{"target", service.target}, {"reason", looked.error().message}})
             : log_info("budget_known", {{"target", service.target}});
    }
  }
  co_return Result<void>();
}

Async<void> BudgetWatch::look(const NamedService& service) {
  const std::unique_ptr<MetricsSource> source = world_.metrics(service.spec);
  Result<ServedRequests> counted = co_await read_served(*source, service.spec, world_.now());
  HONE_CO_TRY(const ServedRequests served, std::move(counted));
  const Result<void> noted = co_await store_.services().note_budget(
      service.target, to_json(budget_state(service.spec.objective, served), served));
  HONE_CO_CHECK(noted);
  co_return Result<void>();
}

boost::asio::awaitable<void> run_budget_watch(BudgetWatch& watch, Background& background) {
  while (!background.stopping()) {
    const Result<void> ticked = co_await watch.tick();
    if (!ticked.has_value()) {
      log_debug("budgets_late", {{"reason", ticked.error().message}});
    }
    co_await background.sleep(kInterval);
  }
}

}  // namespace hone
