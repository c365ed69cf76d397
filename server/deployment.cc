#include "server/deployment.h"

#include <chrono>
#include <string>
#include <utility>

#include "common/base/log.h"
#include "common/base/sha256.h"
#include "common/base/token.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kInterval{10'000};
constexpr int kTries = 5;

// Lays a mark of its own among the artifacts; gives its name.
Async<std::string> put_mark(Artifacts& artifacts) {
  const std::string text = "artifacts of one Hone: " + random_hex(32) + "\n";
  const std::string sha256 = sha256_hex(text);
  Result<ArtifactUpload> begun =
      artifacts.spool->begin(sha256, static_cast<std::int64_t>(text.size()));
  HONE_CO_TRY(ArtifactUpload upload, std::move(begun));
  const Result<void> written = co_await upload.append(text);
  HONE_CO_CHECK(written);
  const Result<void> verified = co_await upload.verify();
  HONE_CO_CHECK(verified);
  const Result<void> kept = co_await artifacts.store->keep(sha256, upload.file());
  HONE_CO_CHECK(kept);
  upload.release();
  co_return sha256;
}

Error elsewhere(const Artifacts& artifacts) {
  return fail(ErrorCode::conflict,
              "setting artifacts: other honeds of this database keep artifacts elsewhere than in " +
                  artifacts.store->describe() +
                  ". Name the same folder or bucket everywhere. To move it: stop them all for ten "
                  "seconds, copy what is there, and start them with the new one");
}

void tell_lease_seconds(std::int64_t ours, std::int64_t theirs) {
  log_warning("lease_seconds_differ", {{"here", ours},
                                       {"elsewhere", theirs},
                                       {"advice", "give all honeds of this database one value"}});
}

// Marks the place, if the mark is still `before`: whether it is ours now.
Async<bool> mark_anew(Store& store, Artifacts& artifacts, std::string before) {
  const Result<std::string> mark = co_await put_mark(artifacts);
  HONE_CO_CHECK(mark);
  Result<bool> replaced = co_await store.deployment().replace_mark(std::move(before), *mark);
  co_return replaced;
}

// What a full disk keeps us from saying is no reason not to start.
void tell_unknown(const Error& error) {
  log_warning("deployment_unknown", {{"reason", error.message}});
}

}  // namespace

Async<void> join_deployment(Store& store, Artifacts& artifacts, DeploymentWish wish) {
  DeploymentView view;
  bool ours = false;
  for (int number = 0; number < kTries && !ours; ++number) {
    Result<DeploymentView> read = co_await store.deployment().read();
    HONE_CO_TRY(view, std::move(read));
    if (!view.artifacts_mark.empty()) {
      const Result<bool> held = co_await artifacts.store->holds(view.artifacts_mark);
      if (!held) {
        tell_unknown(held.error());
        break;
      }
      ours = *held;
      if (!ours && view.served && !wish.alone) {
        co_return elsewhere(artifacts);
      }
      if (!ours) {
        log(wish.alone ? LogLevel::info : LogLevel::warning, "artifacts_moved",
            {{"place", artifacts.store->describe()},
             {"advice", "what was uploaded before must be copied here, or is missing"}});
      }
    }
    if (!ours) {
      const Result<bool> marked = co_await mark_anew(store, artifacts, view.artifacts_mark);
      if (!marked) {
        tell_unknown(marked.error());
        break;
      }
      ours = *marked;  // else somebody was faster: his is looked for
    }
  }
  if (view.lease_seconds != wish.lease_seconds) {
    if (view.lease_seconds != 0 && view.served && !wish.alone) {
      tell_lease_seconds(wish.lease_seconds, view.lease_seconds);
    }
    const Result<void> set = co_await store.deployment().set_lease_seconds(wish.lease_seconds);
    if (!set) {
      tell_unknown(set.error());
    }
  }
  co_return Result<void>();
}

boost::asio::awaitable<void> watch_deployment(
    Store& store, Artifacts& artifacts, Background& background, DeploymentWish wish,
    std::function<void(const DeploymentDifference&)> found) {
  DeploymentDifference told;
  std::string looked_for;  // a mark that was found, or not, already
  while (!background.stopping()) {
    const Result<DeploymentView> view = co_await store.deployment().read();
    if (view) {
      DeploymentDifference now = told;
      if (view->artifacts_mark != looked_for) {
        const Result<bool> held = co_await artifacts.store->holds(view->artifacts_mark);
        if (held) {
          looked_for = view->artifacts_mark;
          now.artifacts = !*held;
        }
      }
      now.lease_seconds = view->lease_seconds != wish.lease_seconds;
      if (now.artifacts && !told.artifacts) {
        log_error("artifacts_differ", {{"reason", elsewhere(artifacts).message}});
      }
      if (now.lease_seconds && !told.lease_seconds) {
        tell_lease_seconds(wish.lease_seconds, view->lease_seconds);
      }
      told = now;
      found(told);
    }
    co_await background.sleep(kInterval);
  }
}

}  // namespace hone
