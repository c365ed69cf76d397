// The next page is read while the last one is written, so that neither the database nor the client
// waits for the other; no more than that is ever held.
#include "server/api/line_reply.h"

#include <algorithm>
#include <memory>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "common/base/log.h"
#include "server/api/caller_watch.h"
#include "server/api/request_values.h"

namespace hone {
namespace {

constexpr std::int64_t kFirstRows = 256;
constexpr std::int64_t kMostRows = 16'384;
constexpr std::int64_t kMostLines = std::int64_t{1} << 53U;

struct WatchedRead {
  CallerWatch watch;
  ReadLines read;
};

Async<LinePage> read_watched(std::shared_ptr<WatchedRead> kept, LineRequest wanted) {
  const Result<void> same = co_await kept->watch.check();
  HONE_CO_CHECK(same);
  Async<LinePage> reading = kept->read(std::move(wanted));
  Result<LinePage> page = co_await std::move(reading);
  co_return page;
}

class LineStream {
 public:
  LineStream(LineStreams::Place place, LogContext context, ReadLines read, std::string after,
             std::int64_t limit)
      : place_(std::move(place)),
        context_(std::move(context)),
        read_(std::move(read)),
        left_(limit) {
    wanted_.after = std::move(after);
    wanted_.rows = std::min(kFirstRows, left_);
  }

  Async<void> begin() {
    Result<LinePage> page = co_await next();
    HONE_CO_TRY(page_, std::move(page));
    co_return Result<void>();
  }

  // As Reply::pieces.
  boost::asio::awaitable<bool> run(PieceWriter& writer) {
    using boost::asio::experimental::awaitable_operators::operator&&;
    while (page_.count > 0) {
      boost::asio::awaitable<bool> writing = writer.piece(std::move(page_.lines));
      Async<LinePage> reading = next();
      auto both = std::move(writing) && std::move(reading);
      std::tuple<bool, Result<LinePage>> done = co_await std::move(both);
      if (!std::get<0>(done)) {
        co_return false;  // the client is gone
      }
      Result<LinePage>& page = std::get<1>(done);
      if (!page) {
        log_warning(context_, "stream_cut",
                    {{"after", wanted_.after}, {"reason", page.error().describe()}});
        co_return false;
      }
      page_ = *std::move(page);
    }
    co_return true;
  }

 private:
  Async<LinePage> next() {
    if (left_ == 0) {
      co_return LinePage();
    }
    Async<LinePage> reading = read_(wanted_);
    Result<LinePage> page = co_await std::move(reading);
    if (page && page->count > 0) {
      left_ -= page->count;
      wanted_.after = page->next_cursor;
      // As many rows as the bytes of a page hold, by what the last ones had.
      const auto bytes = static_cast<std::int64_t>(page->lines.size());
      const std::int64_t rows = wanted_.bytes * page->count / bytes + 1;
      wanted_.rows =
          std::min(std::clamp(rows, kFirstRows, kMostRows), std::max(left_, std::int64_t{1}));
    }
    co_return page;
  }

  LineStreams::Place place_;
  LogContext context_;
  ReadLines read_;
  std::int64_t left_;
  LineRequest wanted_;
  LinePage page_;
};

}  // namespace

ReadLines watched(Store& store, Caller caller, ReadLines read) {
  const auto kept = std::make_shared<WatchedRead>(
      WatchedRead{CallerWatch(store, std::move(caller)), std::move(read)});
  return [kept](LineRequest wanted) { return read_watched(kept, std::move(wanted)); };
}

Async<Reply> line_reply(LineStreams& streams, Request& request, ReadLines read) {
  RequestValues values(request);
  std::string after = values.text("after").value_or("");
  const std::int64_t limit = values.number("limit", 1, kMostLines).value_or(kMostLines);
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  HONE_CO_TRY(LineStreams::Place place, streams.take(request.caller.token_id));
  const auto stream = std::make_shared<LineStream>(std::move(place), request.context,
                                                   std::move(read), std::move(after), limit);
  Async<void> beginning = stream->begin();
  Result<void> begun = co_await std::move(beginning);
  HONE_CO_CHECK(std::move(begun));
  Reply reply;
  reply.content_type = "application/x-ndjson";
  reply.pieces = [stream](PieceWriter& writer) { return stream->run(writer); };
  co_return reply;
}

}  // namespace hone
