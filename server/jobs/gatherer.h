// Work that many ask for at once and that costs less done together: a group commit.
//
// While one batch is under way, whoever asks waits for the next, so that a single asker waits for
// nothing and a crowd shares its transactions. Another batch begins beside it only when it is full:
// large ones cost less an item. Not thread safe: one executor that one thread runs.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"
#include "common/base/result.h"

namespace hone {

struct GatherLimits {
  std::size_t items = 64;  // of one batch
  std::size_t weight =
      20'000;  // of one batch, in the units that ask() is given; one item may exceed it
  std::size_t batches = 2;  // at the same time
};

template <class Item>
class Gatherer {
 public:
  // Gives each item's end, in their order, or one error for all.
  using Work =
      std::function<boost::asio::awaitable<Result<std::vector<Result<void>>>>(std::vector<Item>)>;

  Gatherer(boost::asio::any_io_executor executor, Work work, GatherLimits limits = {})
      : state_(std::make_shared<State>(std::move(executor), std::move(work), limits)) {}

  // Whoever is destroyed while waiting leaves its item in the work.
  boost::asio::awaitable<Result<void>> ask(Item item, std::size_t weight = 1) {
    const std::shared_ptr<State> state = state_;
    const auto entry = std::make_shared<Entry>(state->executor, std::move(item), weight);
    state->waiting.push_back(entry);
    state->start(state);
    while (!entry->over) {
      co_await entry->told.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    co_return std::move(entry->end);
  }

  // How many ask whose batch has not begun.
  std::size_t waiting() const { return state_->waiting.size(); }

 private:
  struct Entry {
    Entry(const boost::asio::any_io_executor& executor, Item what, std::size_t its_weight)
        : item(std::move(what)),
          weight(its_weight),
          told(executor, boost::asio::steady_timer::time_point::max()) {}
    Item item;
    std::size_t weight;
    boost::asio::steady_timer told;  // cancelled at the end
    bool over = false;
    Result<void> end;
  };

  struct State {
    State(boost::asio::any_io_executor where, Work what, GatherLimits limit)
        : executor(std::move(where)), work(std::move(what)), limits(limit) {}

    static void start(const std::shared_ptr<State>& self) {
      const std::size_t enough = self->running == 0 ? 1 : self->limits.items;
      if (self->waiting.size() >= enough && self->running < self->limits.batches) {
        ++self->running;
        boost::asio::co_spawn(self->executor, run(self), boost::asio::detached);
      }
    }

    std::vector<std::shared_ptr<Entry>> take() {
      std::vector<std::shared_ptr<Entry>> batch;
      std::size_t weight = 0;
      while (!waiting.empty() && batch.size() < limits.items) {
        weight += waiting.front()->weight;
        if (!batch.empty() && weight > limits.weight) {
          break;
        }
        batch.push_back(std::move(waiting.front()));
        waiting.pop_front();
      }
      return batch;
    }

    static boost::asio::awaitable<void> run(std::shared_ptr<State> self) {
      while (self->waiting.size() >= (self->running == 1 ? 1 : self->limits.items)) {
        const std::vector<std::shared_ptr<Entry>> batch = self->take();
        std::vector<Item> items;
        items.reserve(batch.size());
        for (const std::shared_ptr<Entry>& entry : batch) {
          items.push_back(std::move(entry->item));
        }
        // What the work throws is a bug of ours, and must not leave its askers waiting.
        Result<std::vector<Result<void>>> ends =
            fail(ErrorCode::internal, "an internal error; the log of honed has the details");
        try {
          boost::asio::awaitable<Result<std::vector<Result<void>>>> working =
              self->work(std::move(items));
          ends = co_await std::move(working);
        } catch (const std::exception& error) {
          log_error("gathered_work_failed", {{"reason", error.what()}});
        }
        for (std::size_t i = 0; i < batch.size(); ++i) {
          batch[i]->end = ends ? std::move((*ends)[i]) : Result<void>(ends.error());
          batch[i]->over = true;
          batch[i]->told.cancel();
        }
      }
      --self->running;
    }

    boost::asio::any_io_executor executor;
    Work work;
    GatherLimits limits;
    std::deque<std::shared_ptr<Entry>> waiting;
    std::size_t running = 0;
  };

  std::shared_ptr<State> state_;
};

}  // namespace hone
