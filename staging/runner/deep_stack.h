// A stack of a known size, for code that recurses by its input. Thread safe.
#pragma once

#include <cstddef>
#include <functional>

#include "common/base/result.h"

namespace hone {

// Runs `work` in a thread with a stack of this many bytes, of which only what is used takes memory,
// and waits for its end. No exception may leave it. unavailable if no thread could be made.
Result<void> run_on_stack(std::size_t bytes, const std::function<void()>& work);

}  // namespace hone
