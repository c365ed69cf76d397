#include "src/distance.h"

#include <algorithm>
#include <vector>

unsigned edit_distance(std::string_view a, std::string_view b) {
  // One row of the table of distances between all beginnings of both words.
  std::vector<unsigned> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] = static_cast<unsigned>(j);
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    unsigned diagonal = row[0];
    row[0] = static_cast<unsigned>(i) + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const unsigned replaced = diagonal + (a[i] == b[j] ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min(replaced, std::min(diagonal, row[j]) + 1);
    }
  }
  return row[b.size()];
}
