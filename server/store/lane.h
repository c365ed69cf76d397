// What a statement is run for. Each kind of work has connections of the pool that the others cannot
// take, so that no crowd of one kind keeps another waiting.
#pragma once

#include <cstddef>

namespace hone {

enum class Lane {
  work,      // what workers wait for: claims, heartbeats, results; who asks; readiness
  ordinary,  // all that is in no other
  reading,   // whole tables for people and for learners: views, streams, metrics
};
inline constexpr std::size_t kLanes = 3;

}  // namespace hone
