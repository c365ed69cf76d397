// The keys of each kind of row. Thread safe for distinct rows.
#pragma once

#include <string_view>

#include "server/learner/buffer/experience.h"
#include "server/learner/buffer/json_field.h"

namespace hone {

// Keys that are not known here are passed over; false for a value that the key cannot have.
bool take_field(std::string_view key, Field& field, Experience& row);
bool take_field(std::string_view key, Field& field, SessionStep& row);

// What a line does not have is absent, whatever the line before had.
void reset(Experience& row);
void reset(SessionStep& row);

}  // namespace hone
