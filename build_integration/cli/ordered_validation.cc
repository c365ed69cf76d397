#include "build_integration/cli/ordered_validation.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace hone {
namespace {

constexpr std::size_t kAhead = 4;  // states of each task that may wait to be told

// What the threads share.
struct Progress {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t begun = 0;
  std::size_t told = 0;
  bool ending = false;
  std::map<std::size_t, Result<ValidationResult>> done;  // that were not told yet
};

void work(const StateTask& task, std::size_t count, std::size_t ahead, Progress& progress) {
  for (;;) {
    std::size_t index = 0;
    {
      std::unique_lock lock(progress.mutex);
      progress.changed.wait(lock, [&] {
        return progress.ending || progress.begun >= count || progress.begun < progress.told + ahead;
      });
      if (progress.ending || progress.begun >= count) {
        return;
      }
      index = progress.begun++;
    }
    Result<ValidationResult> result = task(index);
    const std::scoped_lock lock(progress.mutex);
    progress.done.emplace(index, std::move(result));
    progress.changed.notify_all();
  }
}

Result<void> tell_all(std::size_t count, const TellValidation& tell, const std::stop_token& stop,
                      Progress& progress) {
  for (std::size_t index = 0; index < count; ++index) {
    std::unique_lock lock(progress.mutex);
    progress.changed.wait(lock, [&] { return progress.done.contains(index); });
    const auto node = progress.done.extract(index);
    lock.unlock();
    HONE_CHECK(node.mapped());
    if (stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "stopped");
    }
    HONE_CHECK(tell(index, *node.mapped()));
    lock.lock();
    progress.told = index + 1;
    progress.changed.notify_all();
  }
  return {};
}

}  // namespace

Result<void> validate_in_order(const std::vector<StateTask>& tasks, std::size_t count,
                               const TellValidation& tell, const std::stop_token& stop) {
  Progress progress;
  std::vector<std::jthread> threads;
  for (const StateTask& task : tasks) {
    threads.emplace_back(
        [&task, count, &tasks, &progress] { work(task, count, kAhead * tasks.size(), progress); });
  }
  Result<void> told = tell_all(count, tell, stop, progress);
  {
    const std::scoped_lock lock(progress.mutex);
    progress.ending = true;
    progress.changed.notify_all();
  }
  threads.clear();  // waits for what is under way
  return told;
}

}  // namespace hone
