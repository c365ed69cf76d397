// The dashboard's page: GET /, /ui/... (its views' URLs, all of them the same document) and
// /assets.
//
// Public: there is nothing in it but the program, which asks for a token.
#include "server/api/api.h"
#include "server/api/replies.h"
#include "server/dashboard/page_reply.h"

namespace hone {
namespace {

const PageReplies& page() {
  static const PageReplies kReplies(embedded_page());
  return kReplies;
}

Async<Reply> get_page(Api&, Request& request) {
  co_return page().reply("/index.html", request);
}

Async<Reply> get_asset(Api&, Request& request) {
  co_return page().reply("/assets/" + request.path_value("name"), request);
}

Async<Reply> get_icon(Api&, Request& request) {
  co_return page().reply("/favicon.svg", request);
}

}  // namespace

std::vector<Route> dashboard_routes(Api& api) {
  std::vector<Route> routes{{.path = "/assets/{name}", .handler = bind(api, get_asset)},
                            {.path = "/favicon.svg", .handler = bind(api, get_icon)}};
  // A view's URL may be shared, whatever it says: the page knows what it means.
  for (const char* path :
       {"/", "/ui", "/ui/{view}", "/ui/{view}/{name}", "/ui/{view}/{name}/{part}"}) {
    routes.push_back({.path = path, .any_query = true, .handler = bind(api, get_page)});
  }
  return routes;
}

}  // namespace hone
