#include "server/api/api.h"

namespace hone {

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
  router.add(token_routes(api));
  router.add(audit_routes(api));
  router.add(session_routes(api));
  router.add(view_routes(api));
  router.add(dashboard_routes(api));
  return router;
}

}  // namespace hone
