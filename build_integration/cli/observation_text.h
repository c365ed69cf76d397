// Observations for people. Thread safe.
#pragma once

#include <string>

#include "common/sessions/observation_space.h"

namespace hone {

// Numbers with blanks between them; texts as they are.
std::string observation_text(const Observation& observation);

}  // namespace hone
