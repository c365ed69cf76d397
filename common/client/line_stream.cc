#include "common/client/line_stream.h"

#include "common/client/retry_pause.h"

namespace hone {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxLineBytes = std::size_t{256} << 20U;
constexpr std::string_view kCursorKey = R"({"cursor":")";

// Gathers pieces that are cut anywhere, and gives whole lines on.
class LineBlocks {
 public:
  LineBlocks(const LineSink& sink, std::string& cursor) : sink_(sink), cursor_(cursor) {}

  Result<bool> add(std::string_view piece) {
    waiting_ += piece;
    if (waiting_.size() > kMaxLineBytes) {
      return fail(ErrorCode::too_large, "a line of the stream is longer than 256 MiB");
    }
    const bool ready = waiting_.size() >= kBlockBytes && piece.find('\n') != std::string_view::npos;
    return ready ? give() : Result<bool>(true);
  }

  // The whole lines that wait; what is left of one that broke off is forgotten.
  Result<bool> finish() {
    const Result<bool> given = give();
    waiting_.clear();
    return given;
  }

 private:
  Result<bool> give() {
    const std::size_t end = waiting_.rfind('\n');
    if (end == std::string::npos) {
      return true;
    }
    const std::string_view lines(waiting_.data(), end + 1);
    const std::size_t before = end == 0 ? std::string::npos : waiting_.rfind('\n', end - 1);
    const std::string_view cursor =
        cursor_of_line(lines.substr(before == std::string::npos ? 0 : before + 1));
    if (cursor.empty()) {
      return fail(ErrorCode::invalid_argument,
                  "the coordinator's answer is no stream of lines with cursors: is it a honed of "
                  "this version?");
    }
    std::string next(cursor);
    Result<bool> wants_more = sink_(lines, next);
    if (wants_more) {
      cursor_ = std::move(next);
      waiting_.erase(0, end + 1);
    }
    return wants_more;
  }

  const LineSink& sink_;
  std::string& cursor_;
  std::string waiting_;
};

}  // namespace

std::string_view cursor_of_line(std::string_view line) {
  if (!line.starts_with(kCursorKey)) {
    return {};
  }
  line.remove_prefix(kCursorKey.size());
  const std::size_t end = line.find('"');
  return end == std::string_view::npos ? std::string_view() : line.substr(0, end);
}

Result<void> read_lines(const Client& client, std::string_view path, std::string after,
                        const LineSink& sink, const std::stop_token& stop) {
  for (int failures = 0;;) {
    const std::string begun = after;
    bool enough = false;
    LineBlocks blocks(sink, after);
    const auto receive = [&](std::string_view piece) -> Result<bool> {
      HONE_TRY(const bool wants_more, blocks.add(piece));
      enough = !wants_more;
      return wants_more;
    };
    const std::string query = after.empty() ? "" : "?after=" + percent_encode(after);
    const Result<void> read = client.stream(std::string(path) + query, receive, stop);
    if (enough) {
      return {};
    }
    const bool lost = !read && may_pass(read.error());
    if (read || lost) {
      HONE_TRY(const bool wants_more, blocks.finish());
      if (read || !wants_more) {
        return {};
      }
    }
    failures = after == begun ? failures + 1 : 1;
    if (!lost || failures > client.options().retries) {
      return read.error();
    }
    if (!pause_between_tries(failures - 1, client.options().first_pause, "", stop)) {
      return fail(ErrorCode::cancelled, "stopped while waiting for " + client.url());
    }
  }
}

}  // namespace hone
