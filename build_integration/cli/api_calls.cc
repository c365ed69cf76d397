#include "build_integration/cli/api_calls.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/token.h"
#include "common/client/retry_pause.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kPollPause{500};
constexpr std::chrono::seconds kPatience{120};
constexpr std::size_t kPageSize = 200;

Error not_understood(std::string_view what) {
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("the coordinator's answer has no {}: is it a honed of this version?", what));
}

// Repeats `ask` until `over`; a coordinator that does not answer, or not in time, is waited for.
template <class View, class Ask>
Result<View> wait_until_over(const Ask& ask, const std::function<void(const View&)>& see,
                             const std::stop_token& stop,
                             std::optional<std::chrono::steady_clock::time_point> until = {}) {
  auto last_answer = std::chrono::steady_clock::now();
  while (true) {
    if (stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "stopped waiting");
    }
    Result<View> view = ask();
    if (view) {
      last_answer = std::chrono::steady_clock::now();
      see(*view);
      if (is_over(*view)) {
        return view;
      }
    } else if (!may_pass(view.error()) ||
               std::chrono::steady_clock::now() - last_answer > kPatience) {
      return view.error();
    }
    std::chrono::milliseconds pause = kPollPause;
    if (until) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(*until - std::chrono::steady_clock::now());
      if (left.count() <= 0) {
        return view;  // as it is, or why nobody knows
      }
      pause = std::min(pause, left);
    }
    sleep_unless_stopped(pause, stop);
  }
}

}  // namespace

RequestOptions once() {
  RequestOptions options;
  options.headers.push_back({"Idempotency-Key", random_uuid()});
  return options;
}

bool sleep_unless_stopped(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

Result<Json> field_of(const Json& answer, std::string_view name) {
  if (!answer.is_object()) {
    return not_understood(name);
  }
  const auto found = answer.find(name);
  if (found == answer.end()) {
    return not_understood(name);
  }
  return Result<Json>(boost::system::in_place_value, *found);
}

Result<std::string> text_field_of(const Json& answer, std::string_view name) {
  HONE_TRY(const Json value, field_of(answer, name));
  if (!value.is_string()) {
    return not_understood(name);
  }
  return value.get<std::string>();
}

Result<std::vector<Json>> list_pages(const Client& client, const std::string& path,
                                     std::size_t limit) {
  std::vector<Json> items;
  std::string cursor;
  const char joint = path.find('?') == std::string::npos ? '?' : '&';
  while (true) {
    std::string page = fmt::format("{}{}limit={}", path, joint, std::min(kPageSize, limit));
    if (!cursor.empty()) {
      page += "&cursor=" + percent_encode(cursor);
    }
    HONE_TRY(const Json answer, client.get(page));
    HONE_TRY(Json list, field_of(answer, "items"));
    if (!list.is_array()) {
      return not_understood("list of items");
    }
    for (Json& item : list) {
      if (items.size() == limit) {
        return items;
      }
      items.push_back(std::move(item));
    }
    const auto next = answer.find("next_cursor");
    if (next == answer.end() || !next->is_string() || list.empty()) {
      return items;
    }
    cursor = next->get<std::string>();
  }
}

Result<std::vector<Json>> list_once(const Client& client, const std::string& path) {
  HONE_TRY(const Json answer, client.get(path));
  HONE_TRY(const Json list, field_of(answer, "items"));
  if (!list.is_array()) {
    return not_understood("list of items");
  }
  return std::vector<Json>(list.begin(), list.end());
}

Result<CampaignView> get_campaign(const Client& client, std::string_view id) {
  HONE_TRY(const Json answer, client.get("/v1/campaigns/" + percent_encode(id)));
  return parse_campaign_view(answer);
}

Result<CampaignView> latest_campaign(const Client& client, std::string_view target) {
  std::string path = "/v1/campaigns";
  if (!target.empty()) {
    path += "?target=" + percent_encode(target);
  }
  HONE_TRY(const std::vector<Json> newest, list_pages(client, path, 1));
  if (newest.empty()) {
    return fail(ErrorCode::not_found, target.empty()
                                          ? std::string("there is no campaign yet")
                                          : fmt::format("target {} has no campaign", target));
  }
  return parse_campaign_view(newest.front());
}

Result<void> close_campaign(const Client& client, std::string_view id) {
  HONE_TRY(const Json answer,
           client.post("/v1/campaigns/" + percent_encode(id) + "/close", Json::object(), once()));
  static_cast<void>(answer);
  return {};
}

Result<CampaignView> cancel_campaign(const Client& client, std::string_view id) {
  HONE_TRY(const Json answer,
           client.post("/v1/campaigns/" + percent_encode(id) + "/cancel", Json::object()));
  return parse_campaign_view(answer);
}

Result<std::vector<Candidate>> get_candidates(const Client& client, std::string_view campaign) {
  HONE_TRY(const std::vector<Json> items,
           list_once(client, "/v1/campaigns/" + percent_encode(campaign) + "/candidates"));
  std::vector<Candidate> candidates;
  Problems problems;
  for (const Json& item : items) {
    ObjectReader reader(item, "", problems, UnknownKeys::ignore);
    candidates.push_back(read_candidate(reader));
  }
  if (auto error = problems.as_error("list of candidates")) {
    return *std::move(error);
  }
  return candidates;
}

Result<std::vector<WorkerView>> get_workers(const Client& client) {
  HONE_TRY(const std::vector<Json> items, list_once(client, "/v1/workers"));
  std::vector<WorkerView> workers;
  for (const Json& item : items) {
    HONE_TRY(WorkerView worker, parse_worker(item, UnknownKeys::ignore));
    workers.push_back(std::move(worker));
  }
  return workers;
}

Result<TargetSpec> get_target(const Client& client, std::string_view name) {
  HONE_TRY(const Json answer, client.get("/v1/targets/" + percent_encode(name)));
  HONE_TRY(const Json spec, field_of(answer, "spec"));
  return parse_target_spec(spec, UnknownKeys::ignore);
}

Result<JobView> get_job(const Client& client, std::string_view id, WithSamples samples) {
  std::string path = "/v1/jobs/" + percent_encode(id);
  if (samples == WithSamples::yes) {
    path += "?samples=1";
  }
  HONE_TRY(const Json answer, client.get(path));
  return parse_job_view(answer);
}

Result<std::vector<JobView>> get_campaign_jobs(const Client& client, std::string_view campaign) {
  HONE_TRY(const std::vector<Json> items,
           list_pages(client, "/v1/jobs?campaign=" + percent_encode(campaign)));
  std::vector<JobView> jobs;
  for (const Json& item : items) {
    HONE_TRY(JobView job, parse_job_view(item));
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Result<std::vector<std::string>> submit_jobs(const Client& client,
                                             const std::vector<JobRequest>& jobs) {
  Json list = Json::array();
  for (const JobRequest& job : jobs) {
    list.push_back(to_json(job));
  }
  Json body = Json::object();
  body["jobs"] = std::move(list);
  HONE_TRY(const Json answer, client.post("/v1/jobs", body, once()));
  HONE_TRY(const Json made, field_of(answer, "jobs"));
  std::vector<std::string> ids;
  for (const Json& job : made) {
    HONE_TRY(std::string id, text_field_of(job, "id"));
    ids.push_back(std::move(id));
  }
  if (ids.size() != jobs.size()) {
    return not_understood("id for every job");
  }
  return ids;
}

bool is_over(const CampaignView& campaign) {
  return campaign.state == CampaignState::finished || campaign.state == CampaignState::cancelled ||
         campaign.state == CampaignState::failed;
}

bool is_over(const JobView& job) {
  return job.state == JobState::done || job.state == JobState::dead ||
         job.state == JobState::cancelled;
}

Result<CampaignView> wait_for_campaign(const Client& client, std::string_view id,
                                       const std::function<void(const CampaignView&)>& see,
                                       const std::stop_token& stop) {
  return wait_until_over<CampaignView>([&] { return get_campaign(client, id); }, see, stop);
}

Result<JobView> wait_for_job(const Client& client, std::string_view id,
                             const std::function<void(const JobView&)>& see,
                             const std::stop_token& stop,
                             std::optional<std::chrono::steady_clock::time_point> until) {
  return wait_until_over<JobView>([&] { return get_job(client, id, WithSamples::no); }, see, stop,
                                  until);
}

}  // namespace hone
