// Lines of the streams taken apart. Not thread safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "server/learner/buffer/experience.h"

namespace hone {

// Keeps the parser's memory, and what rows are read into keeps theirs, from line to line.
class RowReader {
 public:
  RowReader();
  ~RowReader();
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  // Lines that read() takes, without '\n', one by one: false at the end. `lines` is copied.
  void begin(std::string_view lines);
  bool next();
  // The line that next() came to.
  std::string_view line() const { return line_; }

  // That line as a row; invalid_argument naming the key for what it cannot be.
  Result<void> read(Experience& row);
  Result<void> read(SessionStep& row);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::string lines_;
  std::string_view rest_;
  std::string_view line_;
};

// Numbers of a state by the name of their observation space ({"Autophase": [1, 2]}), one number
// being a vector of one. Empty if the space is not among them; invalid_argument for what is no
// JSON object.
Result<std::vector<double>> feature_vector(std::string_view features, const std::string& space);

}  // namespace hone
