// Makes the further links of a program that has just been linked.
#pragma once

#include <chrono>
#include <string>

#include "build_integration/linker/link_command.h"
#include "build_integration/linker/link_settings.h"

namespace hone {

// Takes away what an earlier link of the program left, and says that there are no copies and why.
// Call before the plain link. Never fails: where the folder can't be written to, the link fails.
void drop_links(const LinkCommand& link, const std::string& why);

// Links the program again with padding, as often as asked for and as the time allows, and writes
// the note (common/links) when that is done. Whatever goes wrong leaves fewer copies, and says why
// in the note. Their messages are thrown away: the plain link, which took `plain_link`, has said it
// all.
void make_links(const LinkCommand& link, const LinkSettings& settings,
                std::chrono::milliseconds plain_link);

}  // namespace hone
