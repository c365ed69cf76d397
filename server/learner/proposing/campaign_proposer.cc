#include "server/learner/proposing/campaign_proposer.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/token.h"
#include "common/client/retry_pause.h"
#include "common/protocol/campaign.h"
#include "common/protocol/canary_lesson.h"
#include "server/learner/proposing/answer_items.h"
#include "server/learner/proposing/campaign_files.h"
#include "server/learner/proposing/other_targets.h"
#include "server/learner/proposing/production_trials.h"
#include "server/learner/proposing/proposal.h"
#include "server/learner/proposing/proposed_target.h"

namespace hone {
namespace {

constexpr std::chrono::seconds kPause{1};
constexpr std::chrono::seconds kPatience{120};

bool takes_more(const CampaignView& campaign) {
  return (campaign.state == CampaignState::waiting || campaign.state == CampaignState::racing) &&
         !campaign.closed &&
         (!campaign.budget_candidates || campaign.candidates < *campaign.budget_candidates);
}

// Whether latencies say something of it.
bool is_of_speed(Metric metric) {
  return metric != Metric::peak_rss_bytes && metric != Metric::text_bytes &&
         metric != Metric::binary_bytes && metric != Metric::compile_time &&
         metric != Metric::energy;
}

class Proposer {
 public:
  Proposer(const Client& client, const ProposerSettings& settings)
      : client_(client),
        settings_(settings),
        path_("/v1/campaigns/" + percent_encode(settings.campaign)),
        files_(client, settings.files, settings.stop, settings.say) {}

  Result<void> run() {
    auto last_answer = std::chrono::steady_clock::now();
    while (!settings_.stop.stop_requested()) {
      const Result<bool> more = step();
      if (more.has_value()) {
        last_answer = std::chrono::steady_clock::now();
        if (!*more) {
          return {};
        }
      } else if (more.error().code == ErrorCode::conflict) {
        // It went on without us, or somebody else used the budget up: the next look tells.
      } else if (!may_pass(more.error()) ||
                 std::chrono::steady_clock::now() - last_answer > kPatience) {
        return more.error();
      }
      pause();
    }
    return fail(ErrorCode::cancelled, "stopped proposing");
  }

 private:
  void pause() const {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, settings_.stop, kPause, [] { return false; });
  }

  RequestOptions stoppable() const {
    RequestOptions options;
    options.stop = settings_.stop;
    return options;
  }

  // Whether there may be more to do.
  Result<bool> step() {
    HONE_TRY(const Json answer, client_.get(path_, stoppable()));
    HONE_TRY(const CampaignView campaign, parse_campaign_view(answer));
    if (!campaign.proposing_seconds) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("campaign {} takes one set of candidates: it was started without "
                              "proposing_seconds",
                              campaign.id));
    }
    if (campaign.state != CampaignState::waiting && campaign.state != CampaignState::racing) {
      return false;
    }
    if (campaign.state == CampaignState::waiting || campaign.unfinished > 0) {
      return true;
    }
    HONE_TRY(const Json tried, client_.get(path_ + "/candidates", stoppable()));
    HONE_TRY(const Json items, items_of(tried, "candidates"));
    HONE_TRY(const std::vector<Trial> staged, trials_from_json(items));
    HONE_TRY(const ProposalSpec spec, spec_for(campaign, staged));
    HONE_TRY(const std::vector<CanaryLesson> lessons, canary_lessons(campaign));
    const std::vector<Trial> trials = with_production(staged, lessons, campaign.baseline,
                                                      spec.variants.llvm_major, spec.variants.hot);
    HONE_CHECK(name_finalists(trials, spec));
    const bool measured = std::ranges::any_of(
        staged, [](const Trial& trial) { return trial.reward || trial.failed; });
    if (!takes_more(campaign) || !measured) {
      return close(measured ? "the budget is used up" : "nothing could be measured");
    }
    const Result<CandidateSet> set = propose(spec, trials);
    if (!set.has_value()) {
      return set.error().code == ErrorCode::not_found ? close(set.error().message)
                                                      : Result<bool>(set.error());
    }
    RequestOptions once = stoppable();
    once.headers.push_back({"Idempotency-Key", random_uuid()});
    HONE_TRY(const Json posted, client_.post(path_ + "/candidate-sets", to_json(*set), once));
    static_cast<void>(posted);
    settings_.say(lessons.empty()
                      ? fmt::format("{} more candidates after {} trials", set->candidates.size(),
                                    staged.size())
                      : fmt::format("{} more candidates after {} trials, corrected by {} canaries",
                                    set->candidates.size(), staged.size(), lessons.size()));
    return true;
  }

  // What production said of the target, newest first; none where something else than time is
  // measured, which latencies say nothing of.
  Result<std::vector<CanaryLesson>> canary_lessons(const CampaignView& campaign) {
    if (!metric_) {
      HONE_TRY(const Json answer,
               client_.get("/v1/targets/" + percent_encode(campaign.target), stoppable()));
      HONE_TRY(const ProposedTarget target, parse_proposed_target(answer));
      metric_ = target.metric;
    }
    if (campaign.baseline == BaselineKind::oz || !is_of_speed(*metric_)) {
      return std::vector<CanaryLesson>();
    }
    const Result<Json> answer =
        client_.get("/v1/canaries?experience=1&limit=200&target=" + percent_encode(campaign.target),
                    stoppable());
    if (!answer && (answer.error().code == ErrorCode::invalid_argument ||
                    answer.error().code == ErrorCode::not_found)) {
      return std::vector<CanaryLesson>();  // a honed of a release that knows no canaries' lessons
    }
    HONE_CHECK(answer);
    HONE_TRY(const Json items, items_of(*answer, "canaries"));
    return parse_canary_lessons(items);
  }

  Result<ProposalSpec> spec_for(const CampaignView& campaign, const std::vector<Trial>& trials) {
    ProposalSpec spec;
    const bool size = campaign.baseline == BaselineKind::oz;
    spec.variants.objective = size ? SearchObjective::size : SearchObjective::time;
    if (size) {
      spec.levels = {"Os", "Oz"};
      spec.variants.successors = settings_.successors;
    } else if (campaign.baseline == BaselineKind::own) {
      spec.levels = {"O2", "O3"};
    }
    HONE_TRY(CampaignFiles files, files_.choose(campaign, trials));
    spec.variants.files = std::move(files.apart);
    spec.variants.hot = std::move(files.hot);
    if (!others_) {
      HONE_TRY(others_, other_targets(client_, campaign, settings_.stop));
    }
    spec.others = *others_;
    spec.count = settings_.generation;
    if (campaign.budget_candidates) {
      spec.last = *campaign.budget_candidates - campaign.candidates <=
                  static_cast<std::int64_t>(settings_.generation);
      spec.count = std::min(spec.count, static_cast<std::size_t>(std::max<std::int64_t>(
                                            *campaign.budget_candidates - campaign.candidates, 1)));
    }
    // Every set of its own, and the same one when the same question is asked again.
    spec.seed = campaign.seed + 0x9e3779b97f4a7c15U * (trials.size() + 1);
    spec.seed &= (std::uint64_t{1} << 53U) - 1;
    return spec;
  }

  Result<void> name_finalists(const std::vector<Trial>& trials, const ProposalSpec& spec) {
    const std::vector<std::string> ids = choose_finalists(spec, trials);
    if (ids.empty() || ids == named_) {
      return {};
    }
    HONE_TRY(const Json answer,
             client_.put(path_ + "/finalists", Json{{"candidates", ids}}, stoppable()));
    static_cast<void>(answer);
    named_ = ids;
    return {};
  }

  Result<bool> close(std::string_view why) {
    HONE_TRY(const Json answer, client_.post(path_ + "/close", Json::object(), stoppable()));
    static_cast<void>(answer);
    settings_.say(fmt::format("no more candidates: {}", why));
    return false;
  }

  const Client& client_;
  const ProposerSettings& settings_;
  std::string path_;
  CampaignFileChooser files_;
  std::optional<std::vector<TargetTrials>> others_;  // once they were asked for
  std::optional<Metric> metric_;                     // likewise, of the target
  std::vector<std::string> named_;
};

}  // namespace

Result<void> propose_for(const Client& client, const ProposerSettings& settings) {
  return Proposer(client, settings).run();
}

}  // namespace hone
