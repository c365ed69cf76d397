// GET /v1/transitions: the log of compile sessions as newline-delimited JSON.
#include "server/api/access.h"
#include "server/api/line_reply.h"

namespace hone {
namespace {

Async<Reply> get_transitions(Api& api, Request& request) {
  ReadLines read = [&api, reader = reader_of(request.caller)](LineRequest wanted) {
    wanted.reader = reader;
    return api.store.transitions(Lane::reading).read(std::move(wanted));
  };
  Async<Reply> replying =
      line_reply(api.streams, request, watched(api.store, request.caller, std::move(read)));
  Result<Reply> reply = co_await std::move(replying);
  co_return reply;
}

}  // namespace

std::vector<Route> transition_routes(Api& api) {
  return {{.path = "/v1/transitions",
           .roles = kReaders,
           .query = {"after", "limit"},
           .handler = bind(api, get_transitions)}};
}

}  // namespace hone
