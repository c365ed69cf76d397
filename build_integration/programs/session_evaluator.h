// Evaluates sequences of pipelines by the cost of what they make of a program. Not thread safe.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "build_integration/programs/linked_program.h"
#include "common/search/search_run.h"
#include "common/sessions/reward_space.h"
#include "common/sessions/session_client.h"

namespace hone {

class SessionEvaluator final : public Evaluator {
 public:
  // `at_once`: sessions that work at a time. The client must serve nobody else. `linked` where the
  // cost is seen of the linked program: sequences that can not be linked, or whose program does
  // something else, are failures.
  SessionEvaluator(SessionClient client, std::string program, Cost cost, std::size_t at_once,
                   std::optional<LinkedProgram> linked = {})
      : client_(std::move(client)),
        program_(std::move(program)),
        cost_(cost),
        at_once_(at_once),
        linked_(std::move(linked)) {}

  // What the sequences have in common at their beginning is applied once, in a session that the
  // others are copies of. Errors: of opening the program; unavailable if the server is lost.
  Result<std::vector<Evaluation>> evaluate(std::span<const Sequence> sequences) override;
  // With the seconds that linking and running took.
  double cpu_seconds() const override {
    return client_.cpu_seconds() + (linked_ ? linked_->seconds() : 0);
  }

 private:
  // The session "base" at the common beginning, or as far as it goes.
  Result<void> prepare(const Sequence& beginning);
  Result<void> begin(std::size_t index, const Sequence& sequence);
  ObservationSpace seen() const;
  Result<void> see(const Observation& seen, Evaluation& evaluation);
  Result<void> take(std::vector<Evaluation>& evaluations, std::span<const Sequence> sequences);

  SessionClient client_;
  std::string program_;
  Cost cost_;
  std::size_t at_once_;
  std::optional<LinkedProgram> linked_;
  bool open_ = false;
  Sequence base_;                              // that "base" went through
  std::map<std::int64_t, std::size_t> asked_;  // request -> sequence
  std::size_t left_ = 0;                       // replies to come
};

}  // namespace hone
