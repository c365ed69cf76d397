// /v1/workers: who measures.
#include <algorithm>

#include "common/protocol/target_spec.h"
#include "common/protocol/worker.h"
#include "server/api/access.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"
#include "server/api/table_reply.h"

namespace hone {
namespace {

// Workers are everybody's, what they do is of a target: who may not read it does not see it.
Async<void> hide_others(Api& api, const Caller& caller, std::vector<WorkerView>& workers) {
  if (caller.grants == nullptr) {
    co_return Result<void>();
  }
  std::vector<std::string> jobs;
  for (WorkerView& worker : workers) {
    std::erase_if(worker.checks, [&caller](const WorkerCheck& check) {
      return rights_on(caller, check.target).empty();
    });
    if (!worker.current_job.empty()) {
      jobs.push_back(worker.current_job);
    }
  }
  Result<std::vector<std::string>> found =
      co_await api.store.access().visible_jobs(std::move(jobs), reader_of(caller));
  HONE_CO_TRY(const std::vector<std::string> visible, std::move(found));
  for (WorkerView& worker : workers) {
    if (std::ranges::find(visible, worker.current_job) == visible.end()) {
      worker.current_job.clear();
    }
  }
  co_return Result<void>();
}

Async<Reply> worker_reply(Api& api, const Request& request, WorkerView worker) {
  std::vector<WorkerView> one;
  one.push_back(std::move(worker));
  const Result<void> hidden = co_await hide_others(api, request.caller, one);
  HONE_CO_CHECK(hidden);
  co_return json_reply(to_json(one.front()));
}

Async<Reply> put_worker(Api& api, Request& request) {
  RequestValues values(request);
  const std::string name = values.path_name("name");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  auto parse = [&name](const Json& document) -> Result<WorkerView> {
    HONE_TRY(WorkerView worker, parse_worker(document, UnknownKeys::ignore));
    if (worker.name != name) {
      return Error{ErrorCode::invalid_argument,
                   "bad worker",
                   {{"/name", "must be \"" + name + "\", as in the path"}}};
    }
    return worker;
  };
  Result<ParsedBody<WorkerView>> parsed = co_await parse_body<WorkerView>(request, parse);
  HONE_CO_TRY(ParsedBody<WorkerView> body, std::move(parsed));
  AuditedStore store(api.store, audit_entry(request, "worker", "register", name));
  const std::string token = request.caller.token_id;
  Result<WorkerView> put = co_await store.workers().put(std::move(body.value), token);
  HONE_CO_TRY(WorkerView worker, std::move(put));
  Result<Reply> reply = co_await worker_reply(api, request, std::move(worker));
  co_return reply;
}

Async<Reply> get_worker(Api& api, Request& request) {
  RequestValues values(request);
  std::string name = values.path_name("name");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<WorkerView> found = co_await api.store.workers().find(std::move(name));
  HONE_CO_TRY(WorkerView worker, std::move(found));
  Result<Reply> reply = co_await worker_reply(api, request, std::move(worker));
  co_return reply;
}

Async<Reply> list_workers(Api& api, Request& request) {
  RequestValues values(request);
  const TableFormat format = table_format(values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<std::vector<WorkerView>> found = co_await api.store.workers().list();
  HONE_CO_TRY(std::vector<WorkerView> workers, std::move(found));
  const Result<void> hidden = co_await hide_others(api, request.caller, workers);
  HONE_CO_CHECK(hidden);
  Json items = Json::array();
  for (const WorkerView& worker : workers) {
    items.push_back(to_json(worker));
  }
  co_return list_reply(std::move(items), format, "workers");
}

Async<Reply> set_use(Api& api, Request& request, WorkerUse use) {
  RequestValues values(request);
  const std::string name = values.path_name("name");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_CHECK(check_empty_body(request));
  AuditedStore store(api.store, audit_entry(request, "worker",
                                            use == WorkerUse::drain ? "drain" : "resume", name));
  Result<std::string> changed = co_await store.workers().set_use(name, use);
  HONE_CO_TRY(const std::string drained_at, std::move(changed));
  co_return json_reply(Json{{"name", name}, {"drained_at", null_if_blank(drained_at)}});
}

Async<Reply> drain_worker(Api& api, Request& request) {
  return set_use(api, request, WorkerUse::drain);
}
Async<Reply> resume_worker(Api& api, Request& request) {
  return set_use(api, request, WorkerUse::take_jobs);
}

Async<Reply> leave(Api& api, Request& request) {
  RequestValues values(request);
  const std::string name = values.path_name("name");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_CHECK(check_empty_body(request));
  AuditedStore store(api.store, audit_entry(request, "worker", "leave", name));
  Result<std::string> left = co_await store.workers().leave(name, request.caller.token_id);
  HONE_CO_TRY(const std::string left_at, std::move(left));
  co_return json_reply(Json{{"name", name}, {"left_at", left_at}});
}

Async<Reply> free_worker(Api& api, Request& request) {
  RequestValues values(request);
  const std::string name = values.path_name("name");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_CHECK(check_empty_body(request));
  AuditedStore store(api.store, audit_entry(request, "worker", "free", name));
  const Result<void> freed = co_await store.workers().free(name);
  HONE_CO_CHECK(freed);
  co_return json_reply(Json{{"name", name}});
}

}  // namespace

std::vector<Route> worker_routes(Api& api) {
  const Roles readers{Role::viewer, Role::submitter, Role::learner, Role::worker};
  return {{.method = HttpMethod::put,
           .path = "/v1/workers/{name}",
           .roles = kWorkers,
           .body = BodyKind::json,
           .handler = bind(api, put_worker)},
          {.path = "/v1/workers/{name}", .roles = readers, .handler = bind(api, get_worker)},
          {.path = "/v1/workers",
           .roles = readers,
           .query = {"format"},
           .handler = bind(api, list_workers)},
          {.method = HttpMethod::post,
           .path = "/v1/workers/{name}/leave",
           .roles = kWorkers,
           .body = BodyKind::optional_json,
           .handler = bind(api, leave)},
          {.method = HttpMethod::post,
           .path = "/v1/workers/{name}/drain",
           .roles = kAdmins,
           .body = BodyKind::optional_json,
           .handler = bind(api, drain_worker)},
          {.method = HttpMethod::post,
           .path = "/v1/workers/{name}/resume",
           .roles = kAdmins,
           .body = BodyKind::optional_json,
           .handler = bind(api, resume_worker)},
          {.method = HttpMethod::post,
           .path = "/v1/workers/{name}/free",
           .roles = kAdmins,
           .body = BodyKind::optional_json,
           .handler = bind(api, free_worker)}};
}

}  // namespace hone
