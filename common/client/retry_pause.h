// Whether a request is worth sending again, and the pause before that. Thread safe.
#pragma once

#include <chrono>
#include <stop_token>
#include <string_view>

#include "common/client/endpoints.h"

namespace hone {

// Whether the same may be answered when it is asked again later: the server is gone, took too long
// over it (a database that is switched over), or had too much to do.
inline bool may_pass(const Error& error) {
  return is_lost(error) || error.code == ErrorCode::resource_exhausted;
}

// Sleeps first_pause doubled `tries` times, at most 5 s, plus up to half of it at random; a longer
// Retry-After (seconds) is followed up to the same 5 s. False if the stop token asked.
bool pause_between_tries(int tries, std::chrono::milliseconds first_pause,
                         std::string_view retry_after, const std::stop_token& stop);

}  // namespace hone
