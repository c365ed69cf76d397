#include "build_integration/programs/session_evaluator.h"

#include <algorithm>

namespace hone {
namespace {

const std::string kBase = "base";

SessionRequest request(std::string session, SessionCommand command) {
  SessionRequest made;
  made.session = std::move(session);
  made.command = command;
  return made;
}

bool begins_with(const Sequence& sequence, const Sequence& beginning) {
  return sequence.size() >= beginning.size() &&
         std::equal(beginning.begin(), beginning.end(), sequence.begin());
}

Sequence common_beginning(std::span<const Sequence> sequences) {
  Sequence beginning = sequences.front();
  for (const Sequence& sequence : sequences) {
    std::size_t same = 0;
    while (same < beginning.size() && same < sequence.size() && beginning[same] == sequence[same]) {
      ++same;
    }
    beginning.resize(same);
  }
  return beginning;
}

}  // namespace

Result<std::vector<Evaluation>> SessionEvaluator::evaluate(std::span<const Sequence> sequences) {
  std::vector<Evaluation> evaluations(sequences.size());
  if (sequences.empty()) {
    return evaluations;
  }
  HONE_CHECK(prepare(common_beginning(sequences)));
  std::size_t begun = 0;
  asked_.clear();
  for (left_ = 0; begun < sequences.size() || left_ > 0;) {
    // Three requests a sequence: a copy, its steps, its end.
    if (begun < sequences.size() && left_ < 3 * at_once_) {
      HONE_CHECK(begin(begun, sequences[begun]));
      ++begun;
    } else {
      HONE_CHECK(take(evaluations, sequences));
    }
  }
  return evaluations;
}

Result<void> SessionEvaluator::prepare(const Sequence& beginning) {
  if (open_ && !begins_with(beginning, base_)) {
    HONE_TRY(const SessionReply reset, client_.ask(request(kBase, SessionCommand::reset)));
    base_.clear();
  }
  if (!open_) {
    SessionRequest open = request(kBase, SessionCommand::open);
    open.program = program_;
    HONE_TRY(const SessionReply opened, client_.ask(std::move(open)));
    open_ = true;
  }
  SessionRequest step = request(kBase, SessionCommand::step);
  step.pipelines.assign(beginning.begin() + static_cast<std::ptrdiff_t>(base_.size()),
                        beginning.end());
  if (step.pipelines.empty()) {
    return {};
  }
  // Where a pipeline of the beginning fails, the copies meet it again and say so one by one.
  HONE_TRY(const SessionReply reply, client_.ask(step));
  base_.insert(base_.end(), step.pipelines.begin(), step.pipelines.begin() + reply.applied);
  return {};
}

Result<void> SessionEvaluator::begin(std::size_t index, const Sequence& sequence) {
  const std::string name = "s" + std::to_string(index);
  SessionRequest fork = request(kBase, SessionCommand::fork);
  fork.into = name;
  HONE_CHECK(client_.send(std::move(fork)));
  const bool more = sequence.size() > base_.size();
  SessionRequest work = request(name, more ? SessionCommand::step : SessionCommand::observe);
  if (more) {
    work.pipelines.assign(sequence.begin() + static_cast<std::ptrdiff_t>(base_.size()),
                          sequence.end());
  }
  work.observe = {seen()};
  HONE_TRY(const std::int64_t id, client_.send(std::move(work)));
  asked_[id] = index;
  HONE_CHECK(client_.send(request(name, SessionCommand::close)));
  left_ += 3;
  return {};
}

ObservationSpace SessionEvaluator::seen() const {
  return linked_ ? ObservationSpace::bitcode : observation_of(cost_);
}

Result<void> SessionEvaluator::see(const Observation& seen, Evaluation& evaluation) {
  if (!linked_) {
    evaluation.cost = static_cast<double>(std::get<std::int64_t>(seen));
    return {};
  }
  const Result<double> cost = linked_->cost(cost_, std::get<std::string>(seen));
  if (cost) {
    evaluation.cost = *cost;
  } else if (is_of_the_bitcode(cost.error())) {
    evaluation.failure = cost.error().describe();
  } else {
    return cost.error();
  }
  return {};
}

Result<void> SessionEvaluator::take(std::vector<Evaluation>& evaluations,
                                    std::span<const Sequence> sequences) {
  HONE_TRY(const SessionReply reply, client_.receive());
  --left_;
  const auto asked = asked_.find(reply.id);
  if (asked == asked_.end()) {
    return {};
  }
  Evaluation& evaluation = evaluations[asked->second];
  const std::string space(to_string(seen()));
  if (reply.error) {
    evaluation.failure = reply.error->describe();
  } else if (reply.outcome != StepOutcome::ok) {
    evaluation.failure =
        std::string(to_string(reply.outcome)) + ": " + reply.pipeline + ": " + reply.reason;
  } else if (const auto found = reply.observations.find(space); found != reply.observations.end()) {
    HONE_CHECK(see(found->second, evaluation));
  } else {
    evaluation.failure = "no " + space + " came of " +
                         std::to_string(sequences[asked->second].size()) + " pipelines";
  }
  return {};
}

}  // namespace hone
