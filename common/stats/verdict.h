// What a series of paired measurements says, spelt as on the wire and in the store, where the type
// is Verdict (common/protocol/values.h); this library knows no messages.
#pragma once

#include <optional>
#include <string_view>

namespace hone {

enum class TestVerdict {
  faster,        // the candidate needs less time, significantly, and by at least the noise floor
  slower,        // the same the other way round
  no_change,     // a difference of the noise floor or more is ruled out
  within_noise,  // significant, but smaller than the noise floor: not worth acting on
  inconclusive,  // the last look came and neither was shown
  too_noisy,     // given up early: this benchmark cannot resolve the noise floor here
};

// "faster", "no_change" and so on.
std::string_view to_string(TestVerdict verdict);
std::optional<TestVerdict> verdict_from_string(std::string_view text);

}  // namespace hone
