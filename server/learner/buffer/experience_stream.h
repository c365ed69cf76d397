// The replay buffer read to its end: from honed by cursor, over lost connections, or from a file
// that `hone-learner export` wrote. Row by row, so that its size does not matter.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "common/client/client.h"
#include "server/learner/buffer/row_reader.h"

namespace hone {

// Where rows come from. Plain value.
struct BufferSource {
  const Client* client = nullptr;  // of honed; or
  std::filesystem::path file;      // NDJSON
};

// Reads rows behind a cursor. The row that is given to the sink is valid until it returns; false
// ends the reading. Not thread safe.
template <class Row>
class RowStream {
 public:
  using Sink = std::function<Result<bool>(const Row& row, std::string_view line)>;

  // `after` is the cursor of the last row that was read; "" is the beginning.
  RowStream(BufferSource source, std::string after)
      : source_(std::move(source)), cursor_(std::move(after)) {}

  // Until there is no more by now, or the sink has enough. May be called again: goes on behind the
  // last row that the sink took. Errors: those of read_lines() and RowReader, io_failed, not_found
  // (no such file; or a file that does not have the cursor), or what the sink returned.
  Result<void> read(const Sink& sink, const std::stop_token& stop = {});

  // Of the last row that the sink took.
  const std::string& cursor() const { return cursor_; }

 private:
  Result<bool> take(std::string_view lines, const Sink& sink);
  Result<void> read_file(const Sink& sink, const std::stop_token& stop);

  BufferSource source_;
  std::string cursor_;
  RowReader reader_;
  Row row_;
};

using ExperienceStream = RowStream<Experience>;
using SessionStepStream = RowStream<SessionStep>;

extern template class RowStream<Experience>;
extern template class RowStream<SessionStep>;

}  // namespace hone
