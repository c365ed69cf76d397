// `hone-cc --explain COMMAND...`: what the launcher would do with a command, and why, for people.
#pragma once

#include <string>

#include "build_integration/launcher/choice.h"

namespace hone {

std::string explain(const Choice& choice);

}  // namespace hone
