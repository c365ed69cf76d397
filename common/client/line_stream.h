// Streams of lines (/v1/experiences, /v1/transitions) read to their end, over lost connections.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/client/client.h"

namespace hone {

// Takes whole lines, each ended by '\n' (some MiB, or fewer at the end), and the last one's cursor,
// where the stream goes on behind them. False ends the reading.
using LineSink = std::function<Result<bool>(std::string_view lines, const std::string& cursor)>;

// Reads what is behind `after` ("" is the beginning) until there is no more by now, or the sink has
// enough. A connection that is lost is taken up again behind the last line given, so that each line
// is given once; what the last error was when that fails for longer than the client's retries.
// `path` has no query. invalid_argument for a server whose lines have no cursor; too_large for a
// line past 256 MiB; otherwise what Client::stream() or the sink says.
Result<void> read_lines(const Client& client, std::string_view path, std::string after,
                        const LineSink& sink, const std::stop_token& stop = {});

// The cursor of a line, which stands first in it; empty if it has none.
std::string_view cursor_of_line(std::string_view line);

}  // namespace hone
