// /v1/workers: who measures.
#include "common/protocol/target_spec.h"
#include "common/protocol/worker.h"
#include "server/api/api.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"

namespace hone {
namespace {

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
  Result<WorkerView> put = co_await api.store.workers().put(std::move(body.value));
  HONE_CO_TRY(const WorkerView worker, std::move(put));
  co_return json_reply(to_json(worker));
}

Async<Reply> get_worker(Api& api, Request& request) {
  RequestValues values(request);
  std::string name = values.path_name("name");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<WorkerView> found = co_await api.store.workers().find(std::move(name));
  HONE_CO_TRY(const WorkerView worker, std::move(found));
  co_return json_reply(to_json(worker));
}

Async<Reply> list_workers(Api& api, Request&) {
  Result<std::vector<WorkerView>> found = co_await api.store.workers().list();
  HONE_CO_TRY(const std::vector<WorkerView> workers, std::move(found));
  Json items = Json::array();
  for (const WorkerView& worker : workers) {
    items.push_back(to_json(worker));
  }
  co_return json_reply(Json{{"items", std::move(items)}});
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
          {.path = "/v1/workers", .roles = readers, .handler = bind(api, list_workers)}};
}

}  // namespace hone
