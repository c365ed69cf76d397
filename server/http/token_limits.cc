#include "server/http/token_limits.h"

#include <algorithm>

namespace hone {

TokenLimits::Use& TokenLimits::use_of(const std::string& token) {
  const auto found = uses_.find(token);
  if (found != uses_.end()) {
    return found->second;
  }
  const auto now = std::chrono::steady_clock::now();
  if (uses_.size() >= forget_at_) {
    forget_unused(now);
  }
  return uses_.emplace(token, Use{options_.requests_per_second, now, 0, 0, 0}).first->second;
}

// Whose bucket is full again is as good as new.
void TokenLimits::forget_unused(std::chrono::steady_clock::time_point now) {
  std::erase_if(uses_, [now](const auto& entry) {
    const Use& use = entry.second;
    return use.requests == 0 && use.streams == 0 && use.connections == 0 &&
           now - use.filled > std::chrono::seconds(1);
  });
  forget_at_ = std::max<std::size_t>(1024, 2 * uses_.size());
}

bool TokenLimits::spend(const std::string& token, std::chrono::steady_clock::time_point now) {
  if (options_.requests_per_second <= 0) {
    return true;
  }
  Use& use = use_of(token);
  const double most = std::max(1.0, options_.requests_per_second);
  const double passed = std::chrono::duration<double>(now - use.filled).count();
  use.tokens = std::min(most, use.tokens + std::max(0.0, passed) * options_.requests_per_second);
  use.filled = now;
  if (use.tokens < 1) {
    return false;
  }
  use.tokens -= 1;
  return true;
}

TokenLimits::Hold TokenLimits::hold_request(const std::string& token) {
  Use& use = use_of(token);
  return use.requests < options_.requests ? Hold(use.requests) : Hold();
}

TokenLimits::Hold TokenLimits::hold_stream(const std::string& token) {
  Use& use = use_of(token);
  return use.streams < options_.streams ? Hold(use.streams) : Hold();
}

TokenLimits::Hold TokenLimits::hold_connection(const std::string& token) {
  Use& use = use_of(token);
  return use.connections < options_.connections ? Hold(use.connections) : Hold();
}

}  // namespace hone
