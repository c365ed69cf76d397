// For whom something is looked up or listed. A plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hone {

struct Reader {
  // Names of the targets whose things are shown; absent: all.
  std::optional<std::vector<std::string>> targets{};
  // A token's id. What it uploaded and logged itself it sees, too; of no use where it sees all.
  std::string token{};
};

}  // namespace hone
