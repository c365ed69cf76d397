// States validated by several at once, and told in the order in which they came. Not thread safe.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

#include "common/base/result.h"
#include "common/sessions/validation_result.h"

namespace hone {

// One who validates, in a thread of its own: what it holds is its own.
using StateTask = std::function<Result<ValidationResult>(std::size_t index)>;
using TellValidation = std::function<Result<void>(std::size_t index, const ValidationResult&)>;

// Every index below `count` once. `tell` is called by the caller's thread, in order, as early as
// what comes before allows; nobody is more than a few states ahead of it. The first error, of a
// task or of `tell`, ends it; cancelled when stopped.
Result<void> validate_in_order(const std::vector<StateTask>& tasks, std::size_t count,
                               const TellValidation& tell, const std::stop_token& stop);

}  // namespace hone
