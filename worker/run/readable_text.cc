#include "worker/run/readable_text.h"

#include <algorithm>

#include "common/base/text.h"

namespace hone {
std::string readable_text(std::string_view text, std::size_t size) {
  std::string result(text.substr(0, size));
  for (std::size_t at = 0; at < result.size();) {
    const std::size_t bytes = utf8_size(std::string_view(result).substr(at));
    if (bytes == 0 || result[at] == '\0') {
      result[at] = '?';
    }
    at += std::max<std::size_t>(bytes, 1);
  }
  return result;
}

}  // namespace hone
