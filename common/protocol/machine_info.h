// What machine this is, for results, a worker's registration and the session log. Thread safe.
#pragma once

#include "common/protocol/attempt_result.h"

namespace hone {

// Host name, processor model, processors we may use, memory, kernel; what cannot be read is empty
// or 0.
MachineInfo machine_info();

}  // namespace hone
