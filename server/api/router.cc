#include "server/api/api.h"

namespace hone {

namespace {

Async<Reply> run_and_note(Api& api, Channel channel, const Handler& handler, Request& request) {
  Async<Reply> running = handler(request);
  Result<Reply> reply = co_await std::move(running);
  api.store.notifications().note(channel);
  co_return reply;
}

}  // namespace

Handler noting(Api& api, Channel channel, Handler handler) {
  return [&api, channel, handler = std::move(handler)](Request& request) {
    return run_and_note(api, channel, handler, request);
  };
}

Router make_router(Api& api) {
  Router router;
  router.add(health_routes(api));
  router.add(target_routes(api));
  router.add(artifact_routes(api));
  router.add(upload_routes(api));
  router.add(campaign_routes(api));
  router.add(job_routes(api));
  router.add(event_routes(api));
  router.add(worker_routes(api));
  router.add(lease_routes(api));
  router.add(experience_routes(api));
  router.add(transition_routes(api));
  router.add(policy_routes(api));
  router.add(policy_key_routes(api));
  router.add(canary_routes(api));
  router.add(service_routes(api));
  router.add(token_routes(api));
  router.add(audit_routes(api));
  router.add(session_routes(api));
  router.add(view_routes(api));
  router.add(canary_view_routes(api));
  router.add(dashboard_routes(api));
  return router;
}

}  // namespace hone
