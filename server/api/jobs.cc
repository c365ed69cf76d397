// /v1/jobs: measuring a candidate against its baseline.
#include "common/base/log.h"
#include "common/protocol/job.h"
#include "server/api/access.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"
#include "server/api/rule_check.h"
#include "server/api/table_reply.h"

namespace hone {
namespace {

Result<std::vector<JobRequest>> parse_allowed_batch(const Json& document) {
  HONE_TRY(std::vector<JobRequest> jobs, parse_job_batch(document));
  Problems problems;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    check_rules(jobs[i].rules, "/jobs/" + std::to_string(i) + "/rules", problems);
  }
  if (auto error = problems.as_error("batch of jobs")) {
    return *std::move(error);
  }
  return jobs;
}

// Of a target that the caller does not see is said what is said of one that is not there.
Result<void> check_targets(const Caller& caller, const std::vector<JobRequest>& jobs) {
  Error unknown = fail(ErrorCode::invalid_argument, "bad jobs");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Result<void> allowed = check_target(caller, jobs[i].target, TargetRight::submit);
    if (allowed) {
      continue;
    }
    if (allowed.error().code != ErrorCode::not_found) {
      return allowed.error();
    }
    unknown.fields.push_back({"/jobs/" + std::to_string(i) + "/target",
                              "no target '" + jobs[i].target + "' is registered"});
  }
  return unknown.fields.empty() ? Result<void>() : Result<void>(unknown);
}

// A repetition adds nothing to the queue, and so is answered however full that is.
Async<SubmittedJobs> submit_once(Api& api, const Request& request, std::vector<JobRequest> batch,
                                 IdempotencyKey key) {
  const Caller& caller = request.caller;
  Result<std::optional<SubmittedJobs>> found =
      co_await api.store.jobs().find_submitted(key, caller.token_id);
  HONE_CO_TRY(std::optional<SubmittedJobs> earlier, std::move(found));
  if (earlier) {
    co_return *std::move(earlier);
  }
  Result<QueueQuota::Room> admitted = co_await api.queue.admit(
      caller.token_id, caller.name, static_cast<std::int64_t>(batch.size()));
  HONE_CO_TRY(QueueQuota::Room room, std::move(admitted));
  AuditedStore store(api.store, audit_entry(request, "job", "submit"));
  Result<SubmittedJobs> submitted =
      co_await store.jobs().submit(std::move(batch), std::move(key), caller.token_id,
                                   request.trace ? traceparent_of(*request.trace) : std::string());
  if (submitted && !submitted->replayed) {
    room.filled();
  }
  co_return submitted;
}

Async<Reply> submit_jobs(Api& api, Request& request) {
  using Batch = std::vector<JobRequest>;
  Result<ParsedBody<Batch>> parsed = co_await parse_body<Batch>(request, parse_allowed_batch);
  HONE_CO_TRY(ParsedBody<Batch> body, std::move(parsed));
  HONE_CO_CHECK(check_targets(request.caller, body.value));
  HONE_CO_TRY(std::optional<IdempotencyKey> key,
              idempotency_key(request, std::move(body.sha256), KeyNeed::required));
  if (!key) {
    co_return fail(ErrorCode::internal, "a key that is required is not there");
  }
  Result<SubmittedJobs> submitted =
      co_await submit_once(api, request, std::move(body.value), *std::move(key));
  HONE_CO_TRY(const SubmittedJobs jobs, std::move(submitted));
  log_info(request.context, "jobs_submitted",
           {{"jobs", std::uint64_t{jobs.ids.size()}},
            {"first", jobs.ids.empty() ? "" : jobs.ids.front()},
            {"replayed", jobs.replayed}});
  Json list = Json::array();
  for (const std::string& id : jobs.ids) {
    list.push_back({{"id", id}});
  }
  co_return json_reply(Json{{"jobs", std::move(list)}}, jobs.replayed ? 200 : 201);
}

Async<Reply> list_jobs(Api& api, Request& request) {
  RequestValues values(request);
  JobFilter filter;
  filter.target = values.name("target");
  filter.campaign = values.uuid("campaign");
  filter.state = values.one_of("state", parse_job_state, kJobStateChoices);
  filter.reader = reader_of(request.caller);
  PageRequest page = values.page();
  const TableFormat format = table_format(values);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<Page<JobView>> found = co_await api.store.jobs().list(std::move(filter), std::move(page));
  HONE_CO_TRY(const Page<JobView> views, std::move(found));
  const auto to_item = [](const JobView& view) { return to_json(view); };
  co_return page_reply(views, to_item, format, "jobs");
}

Async<Reply> get_job(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  const SampleDetail samples =
      values.flag("samples") ? SampleDetail::include : SampleDetail::leave_out;
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<JobView> found = co_await api.store.jobs().find(std::move(id), samples);
  HONE_CO_TRY(const JobView view, std::move(found));
  co_return json_reply(to_json(view));
}

Async<Reply> cancel_job(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_CHECK(check_empty_body(request));
  AuditedStore store(api.store, audit_entry(request, "job", "cancel", id));
  Result<JobView> cancelled = co_await store.jobs().cancel(std::move(id));
  HONE_CO_TRY(const JobView view, std::move(cancelled));
  co_return json_reply(to_json(view));
}

Async<Reply> retry_job(Api& api, Request& request) {
  RequestValues values(request);
  std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_CHECK(check_empty_body(request));
  AuditedStore store(api.store, audit_entry(request, "job", "retry", id));
  Result<JobView> retried = co_await store.jobs().retry(std::move(id));
  HONE_CO_TRY(const JobView view, std::move(retried));
  co_return json_reply(to_json(view));
}

}  // namespace

std::vector<Route> job_routes(Api& api) {
  const Guard read{Subject::job, "id", TargetRight::read};
  const Guard submit{Subject::job, "id", TargetRight::submit};
  return {{.method = HttpMethod::post,
           .path = "/v1/jobs",
           .roles = kSubmitters,
           .body = BodyKind::json,
           .handler = bind(api, submit_jobs)},
          {.path = "/v1/jobs",
           .roles = kReaders,
           .query = {"target", "campaign", "state", "cursor", "limit", "format"},
           .handler = bind(api, list_jobs)},
          {.path = "/v1/jobs/{id}",
           .roles = kReaders,
           .query = {"samples"},
           .handler = bind(api, read, get_job)},
          {.method = HttpMethod::post,
           .path = "/v1/jobs/{id}/cancel",
           .roles = kSubmitters,
           .body = BodyKind::optional_json,
           .handler = bind(api, submit, cancel_job)},
          {.method = HttpMethod::post,
           .path = "/v1/jobs/{id}/retry",
           .roles = kSubmitters,
           .body = BodyKind::optional_json,
           .handler = bind(api, submit, retry_job)}};
}

}  // namespace hone
