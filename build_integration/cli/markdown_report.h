// A report as a comment on a change request. Thread safe.
#pragma once

#include <string>

#include "build_integration/cli/report_cases.h"

namespace hone {

// A marker line, by which a robot finds its earlier comment, the conclusion and one table (GitHub's
// Markdown; it fits into a comment of GitHub or GitLab). What measurements and candidates say is
// shown as text: it makes no mark-up, no link and no mention of anybody. At most 50 rows, then how
// many more there are.
std::string markdown_report(const ReportSuite& suite);

}  // namespace hone
