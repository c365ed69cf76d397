// SQL condition over a row of jobs: it was not measured because its deadline passed, which is no
// failure of the job. In the table it is dead, as one whose attempts were used up; what tells them
// apart is the deadline, which is looked at before the attempts (job_leases.cc, next_state).
#pragma once

#include <string>

namespace hone {

inline std::string is_late_sql(const std::string& job) {
  return "(" + job + ".state = 'dead' AND coalesce(" + job + ".deadline <= " + job +
         ".finished_at, false))";
}
// The attempts were used up.
inline std::string gave_up_sql(const std::string& job) {
  return "(" + job + ".state = 'dead' AND NOT coalesce(" + job + ".deadline <= " + job +
         ".finished_at, false))";
}

}  // namespace hone
