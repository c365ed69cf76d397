// What a migration may do: the honeds of the release before go on over the schema that it leaves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone::test {

// What in a migration breaks a honed that does not know it, a line for each: things that are
// dropped, renamed or made narrower, and columns that old statements leave empty but that may not
// be. Tables that the same migration makes are its own affair. A statement that is harmless for a
// reason which cannot be seen is let pass by a comment in front of it, "-- The release before:
// WHY.".
std::vector<std::string> broken_rules(std::string_view sql);

}  // namespace hone::test
