// What has been evaluated, kept in a file: a search that is begun again with the same settings goes
// through what it did before without evaluating it again. Not thread safe.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/hash.h"
#include "common/base/result.h"
#include "common/search/sequence_search.h"

namespace hone {

struct EvaluatedSequence {
  Sequence sequence;
  Evaluation evaluation;
};

class EvaluationLog {
 public:
  // In memory only.
  EvaluationLog() = default;
  // A file of one JSON document a line, made if it is not there. `subject` says what was evaluated
  // (program, cost): conflict if the file is of another one. A last line that was cut short is
  // taken for missing; invalid_argument with its number for another line that is none.
  static Result<EvaluationLog> open(const std::filesystem::path& file, const std::string& subject);

  std::optional<Evaluation> find(const Sequence& sequence) const;
  // io_failed (a full disk): the evaluation is kept in memory all the same.
  Result<void> add(const Sequence& sequence, const Evaluation& evaluation);
  std::size_t size() const { return known_.size(); }
  const std::filesystem::path& file() const { return file_; }  // empty: in memory only

  // All that a file holds, in its order; the last line left out if it was cut short. not_found,
  // too_large (1 GiB); invalid_argument with the number of a line that is none.
  static Result<std::vector<EvaluatedSequence>> read(const std::filesystem::path& file);

 private:
  std::filesystem::path file_;
  std::map<Hash128, Evaluation> known_;
};

}  // namespace hone
