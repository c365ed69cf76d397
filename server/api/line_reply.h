// A stream of the store as a reply: application/x-ndjson, chunked, from a cursor to what is settled
// when it gets there.
#pragma once

#include <cstddef>
#include <functional>

#include "server/http/message.h"
#include "server/store/async.h"
#include "server/store/line_page.h"

namespace hone {

// Streams that one honed serves at a time; each holds two pages in memory.
inline constexpr std::size_t kMaxStreams = 16;

using ReadLines = std::function<Async<LinePage>(LineRequest)>;

// `streams` counts those under way, and outlives the reply.
//
// Takes the query's `after` and `limit` (lines; without it, all there are). What fails before the
// first line is an Error; later, the stream is cut off, which every client sees by its missing last
// chunk. unavailable beyond kMaxStreams.
Async<Reply> line_reply(std::size_t& streams, Request& request, ReadLines read);

}  // namespace hone
