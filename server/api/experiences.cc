// GET /v1/experiences: the replay buffer as newline-delimited JSON.
#include "server/api/access.h"
#include "server/api/line_reply.h"

namespace hone {
namespace {

Async<Reply> get_experiences(Api& api, Request& request) {
  ReadLines read = [&api, reader = reader_of(request.caller)](LineRequest wanted) {
    wanted.reader = reader;
    return api.store.experiences().read(std::move(wanted));
  };
  Async<Reply> replying =
      line_reply(api.streams, request, watched(api.store, request.caller, std::move(read)));
  Result<Reply> reply = co_await std::move(replying);
  co_return reply;
}

}  // namespace

std::vector<Route> experience_routes(Api& api) {
  return {{.path = "/v1/experiences",
           .roles = kReaders,
           .query = {"after", "limit"},
           .handler = bind(api, get_experiences)}};
}

}  // namespace hone
