// The pause before a request is sent again. Thread safe.
#pragma once

#include <chrono>
#include <stop_token>
#include <string_view>

namespace hone {

// Sleeps first_pause doubled `tries` times, at most 5 s, plus up to half of it at random; a longer
// Retry-After (seconds) is followed up to the same 5 s. False if the stop token asked.
bool pause_between_tries(int tries, std::chrono::milliseconds first_pause,
                         std::string_view retry_after, const std::stop_token& stop);

}  // namespace hone
