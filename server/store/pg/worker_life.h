// SQL conditions over a row of workers: who said good-bye, and who is there. In one place, so that
// a list, a gauge and a job's look-out for workers never tell different things.
#pragma once

#include <string>

namespace hone {

// It said that it stops, and was not seen since: nobody misses it.
std::string has_left_sql(const std::string& worker);
// Seen within kSilentSeconds (operations_store.h), or busy with a lease that is not over, which it
// renews more seldom the longer leases are; and has not left.
std::string is_there_sql(const std::string& worker);

}  // namespace hone
