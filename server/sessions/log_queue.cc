#include "server/sessions/log_queue.h"

#include <algorithm>
#include <utility>

namespace hone {
namespace {

constexpr std::size_t kRowBytes = 400;  // names of columns, identifiers, numbers
constexpr std::size_t kNumberBytes = 12;

std::size_t bytes_of(const Observation& seen) {
  if (const auto* const text = std::get_if<std::string>(&seen)) {
    return text->size();
  }
  if (const auto* const numbers = std::get_if<std::vector<std::int64_t>>(&seen)) {
    return numbers->size() * kNumberBytes;
  }
  if (const auto* const numbers = std::get_if<std::vector<double>>(&seen)) {
    return numbers->size() * 2 * kNumberBytes;
  }
  return kNumberBytes;
}

}  // namespace

std::size_t bytes_of(const LoggedStep& step) {
  std::size_t bytes = kRowBytes + step.state.size() + step.next_state.size() + step.reason.size();
  for (const std::string& pipeline : step.pipelines) {
    bytes += pipeline.size() + kNumberBytes;
  }
  bytes += step.log_propensities.size() * 2 * kNumberBytes;
  for (const auto& [space, seen] : step.features) {
    bytes += space.size() + bytes_of(seen);
  }
  for (const auto& [space, value] : step.rewards) {
    bytes += space.size() + 2 * kNumberBytes;
  }
  return bytes;
}

bool LogQueue::push(LoggedStep step) {
  const std::size_t bytes = bytes_of(step);
  if (waiting_.size() >= limits_.rows || bytes_ + bytes > limits_.bytes) {
    ++counts_.full;
    return false;
  }
  waiting_.push_back({std::make_shared<const LoggedStep>(std::move(step)), bytes});
  bytes_ += bytes;
  return true;
}

LogBatch LogQueue::first(std::size_t rows, std::size_t bytes) const {
  LogBatch batch;
  std::size_t sum = 0;
  for (const Waiting& waiting : waiting_) {
    sum += waiting.bytes;
    if (batch.size() == rows || (!batch.empty() && sum > bytes)) {
      break;
    }
    batch.push_back(waiting.step);
  }
  return batch;
}

void LogQueue::remove(std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    bytes_ -= waiting_.front().bytes;
    waiting_.pop_front();
  }
}

void LogQueue::written(std::size_t rows) {
  remove(rows);
  counts_.written += rows;
}

void LogQueue::refused(std::size_t rows) {
  remove(rows);
  counts_.refused += rows;
}

void LogQueue::give_up() {
  counts_.left += waiting_.size();
  remove(waiting_.size());
}

}  // namespace hone
