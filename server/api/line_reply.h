// A stream of the store as a reply: application/x-ndjson, chunked, from a cursor to what is settled
// when it gets there.
#pragma once

#include <functional>

#include "server/api/line_streams.h"
#include "server/http/message.h"
#include "server/store/async.h"
#include "server/store/line_page.h"
#include "server/store/store.h"

namespace hone {

using ReadLines = std::function<Async<LinePage>(LineRequest)>;

// `read` for as long as the caller is what it was when its request was let in: a stream may last
// for hours, and reads page after page for it. Errors of CallerWatch::check(), and of `read`.
ReadLines watched(Store& store, Caller caller, ReadLines read);

// The stream takes its place in `streams`, which outlive the reply.
//
// Takes the query's `after` and `limit` (lines; without it, all there are). What fails before the
// first line is an Error; later, the stream is cut off, which every client sees by its missing last
// chunk. Errors of LineStreams::take().
Async<Reply> line_reply(LineStreams& streams, Request& request, ReadLines read);

}  // namespace hone
