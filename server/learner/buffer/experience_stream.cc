#include "server/learner/buffer/experience_stream.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <type_traits>

#include <fmt/format.h>

#include "common/base/file.h"
#include "common/client/line_stream.h"

namespace hone {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxLineBytes = std::size_t{256} << 20U;

}  // namespace

template <class Row>
Result<bool> RowStream<Row>::take(std::string_view lines, const Sink& sink) {
  reader_.begin(lines);
  while (reader_.next()) {
    HONE_CHECK(reader_.read(row_));
    HONE_TRY(const bool wants_more, sink(row_, reader_.line()));
    cursor_ = row_.cursor;
    if (!wants_more) {
      return false;
    }
  }
  return true;
}

template <class Row>
Result<void> RowStream<Row>::read(const Sink& sink, const std::stop_token& stop) {
  if (source_.client == nullptr) {
    return read_file(sink, stop);
  }
  const std::string_view path =
      std::is_same_v<Row, Experience> ? "/v1/experiences" : "/v1/transitions";
  return read_lines(
      *source_.client, path, cursor_,
      [&](std::string_view lines, const std::string&) { return take(lines, sink); }, stop);
}

// A file's cursors are texts to be found again, not numbers to be compared: only honed knows their
// order.
template <class Row>
Result<void> RowStream<Row>::read_file(const Sink& sink, const std::stop_token& stop) {
  std::ifstream file(source_.file, std::ios::binary);
  if (!file) {
    return system_error("cannot read " + source_.file.string(), errno);
  }
  bool found = cursor_.empty();
  std::string block;
  for (bool more = true; more;) {
    if (stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "stopped while reading " + source_.file.string());
    }
    const std::size_t kept = block.size();
    block.resize(kept + kBlockBytes);
    file.read(block.data() + kept, static_cast<std::streamsize>(kBlockBytes));
    block.resize(kept + static_cast<std::size_t>(file.gcount()));
    more = !file.eof();
    if (file.bad() || block.size() > kMaxLineBytes) {
      return fail(file.bad() ? ErrorCode::io_failed : ErrorCode::too_large,
                  fmt::format("{}: {}", source_.file.string(),
                              file.bad() ? "cannot be read" : "a line is longer than 256 MiB"));
    }
    const std::size_t end = more ? block.rfind('\n') : block.size() - 1;
    if (block.empty() || end == std::string::npos) {
      continue;
    }
    std::string_view lines(block.data(), end + 1);
    if (!found) {
      const std::string key = fmt::format(R"({{"cursor":"{}",)", cursor_);
      const std::size_t place = lines.starts_with(key) ? 0 : lines.find("\n" + key);
      if (place == std::string_view::npos) {
        block.erase(0, end + 1);
        continue;
      }
      found = true;
      lines.remove_prefix(std::min(lines.find('\n', place + 1), lines.size() - 1) + 1);
    }
    Result<bool> wants_more = take(lines, sink);
    if (!wants_more) {
      return wants_more.error().within(source_.file.string());
    }
    if (!*wants_more) {
      return {};
    }
    block.erase(0, end + 1);
  }
  if (!found) {
    return fail(ErrorCode::not_found,
                source_.file.string() + " has no line with the cursor \"" + cursor_ + "\"");
  }
  return {};
}

template class RowStream<Experience>;
template class RowStream<SessionStep>;

}  // namespace hone
