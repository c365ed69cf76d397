#include "server/learner/lab/module_features.h"

#include <fmt/format.h>

#include "common/base/program_beside.h"
#include "common/sessions/session_client.h"
#include "server/learner/lab/program_features.h"

namespace hone {
namespace {

template <class Numbers>
Result<Numbers> seen(const SessionReply& reply, ObservationSpace space) {
  const auto found = reply.observations.find(std::string(to_string(space)));
  const Numbers* const numbers =
      found == reply.observations.end() ? nullptr : std::get_if<Numbers>(&found->second);
  if (numbers == nullptr) {
    return fail(ErrorCode::unavailable,
                fmt::format("a session's reply lacks {}, which was asked for", to_string(space)));
  }
  return *numbers;
}

}  // namespace

Result<std::vector<double>> module_features(const std::string& file,
                                            const ModuleFeaturesSettings& settings) {
  std::filesystem::path sessions = settings.sessions;
  if (sessions.empty()) {
    HONE_TRY(sessions, program_beside_us("hone-session"));
  }
  std::vector<std::string> options;
  if (!settings.ir2vec.empty()) {
    options = {"--ir2vec", settings.ir2vec};
  }
  HONE_TRY(SessionClient client, SessionClient::start(sessions, options));
  SessionRequest open;
  open.session = "features";
  open.command = SessionCommand::open;
  open.program = file;
  open.observe = {ObservationSpace::inst_count, ObservationSpace::autophase};
  if (!settings.ir2vec.empty()) {
    open.observe.push_back(ObservationSpace::ir2vec);
  }
  HONE_TRY(const SessionReply reply, client.ask(std::move(open)));
  using Counts = std::vector<std::int64_t>;
  HONE_TRY(const Counts inst_count, seen<Counts>(reply, ObservationSpace::inst_count));
  HONE_TRY(const Counts autophase, seen<Counts>(reply, ObservationSpace::autophase));
  if (inst_count.size() != kInstCounts || autophase.size() != kAutophaseCounts) {
    return fail(ErrorCode::unavailable,
                fmt::format("a session's InstCount and Autophase have {} and {} numbers, not {} "
                            "and {}",
                            inst_count.size(), autophase.size(), kInstCounts, kAutophaseCounts));
  }
  std::vector<double> features = program_features(inst_count, autophase);
  if (!settings.ir2vec.empty()) {
    HONE_TRY(const std::vector<double> embedding,
             seen<std::vector<double>>(reply, ObservationSpace::ir2vec));
    if (embedding.empty() || embedding.size() > kMaxIr2Vec) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} has vectors of {} numbers, not 1 to {}", settings.ir2vec,
                              embedding.size(), kMaxIr2Vec));
    }
    const std::vector<double> more = ir2vec_features(embedding, inst_count[0]);
    features.insert(features.end(), more.begin(), more.end());
  }
  return features;
}

}  // namespace hone
