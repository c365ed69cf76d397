// JUnit XML, as Jenkins' schema (junit-10) and GitLab read it. Thread safe.
#pragma once

#include <string>

#include "build_integration/cli/report_cases.h"

namespace hone {

// One testsuite with a testcase for each case of `suite`: <failure> where the candidate is worse or
// wrong, <error> where nothing could be measured, <skipped> without a result; interval, pairs and
// machine in <system-out>. What XML cannot hold (control characters, broken UTF-8: a compiler's
// message may have colours in it) is replaced by U+FFFD. Ends with a newline.
std::string junit_report(const ReportSuite& suite);

}  // namespace hone
