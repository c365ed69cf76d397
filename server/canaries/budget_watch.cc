#include "server/canaries/budget_watch.h"

#include <boost/asio/this_coro.hpp>

#include "common/base/log.h"
#include "server/canaries/sli_reader.h"
#include "server/canaries/window_json.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kInterval{2'000};

}  // namespace

Async<void> BudgetWatch::tick() {
  Result<std::vector<UnaskedService>> taken =
      co_await store_.services().take_unasked(kBudgetSeconds);
  HONE_CO_TRY(const std::vector<UnaskedService> due, std::move(taken));
  const boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
  for (const UnaskedService& service : due) {
    if (!looks_.under_way(service.target)) {
      looks_.start(executor, service.target, look(service));
    }
  }
  co_await looks_.wait(kInterval);
  co_return Result<void>();
}

boost::asio::awaitable<void> BudgetWatch::look(UnaskedService service) {
  const Result<void> noted = co_await note(service);
  const bool silent = !noted.has_value();
  if (stopped_ || silent == silent_[service.target]) {
    co_return;
  }
  silent_[service.target] = silent;
  silent ? log_warning("budget_unknown",
                       {{"target", service.target}, {"reason", noted.error().message}})
         : log_info("budget_known", {{"target", service.target}});
}

Async<void> BudgetWatch::note(const UnaskedService& service) {
  const std::unique_ptr<MetricsSource> source = world_.metrics(service.spec);
  Result<ServedRequests> counted = co_await read_served(*source, service.spec, world_.now());
  HONE_CO_TRY(const ServedRequests served, std::move(counted));
  const Result<void> noted = co_await store_.services().note_budget(
      service, to_json(budget_state(service.spec.objective, served), served));
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
  co_await watch.settle();
}

}  // namespace hone
