// hone-link: a linker launcher. It runs the link that it is given, and where that makes the program
// named by HONE_LINK_PROGRAM, links it several times more with the same code at other addresses.
//
//   hone-link COMPILER ARGUMENTS...          (also in front of hone-cc and ccache)
//
// The plain link comes first and is all that counts: its messages, files and end are the compiler's
// own. Nothing that goes wrong afterwards is an error; it stands in the note beside the program.
// Every other command is exec'd.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "build_integration/linker/further_links.h"
#include "build_integration/linker/link_command.h"
#include "build_integration/linker/link_settings.h"
#include "build_integration/linker/plain_link.h"

namespace {

constexpr int kUsageError = 2;

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]).starts_with("--")) {
    if (argc == 2 && std::string_view(argv[1]) == "--version") {
      std::puts("hone-link " HONE_VERSION);
      return 0;
    }
    std::fputs("usage: hone-link COMPILER ARGUMENTS...\n", stderr);
    return kUsageError;
  }
  char* const* const command = argv + 1;
  const hone::LinkSettings settings = hone::read_link_settings();
  if (settings.copies == 0 || settings.program.empty()) {
    return hone::exec_command(command);
  }
  const hone::LinkCommand link =
      hone::scan_link(std::vector<std::string>(command, command + argc - 1));
  if (!link.makes_program || !settings.want(link.output)) {
    return hone::exec_command(command);
  }
  // Another hone-link behind this one (a compiler that is a wrapper) would do it all again.
  ::unsetenv("HONE_LINK_PROGRAM");
  if (!link.refused.empty()) {
    hone::drop_links(link, link.refused);
    return hone::exec_command(command);
  }
  hone::drop_links(link, "its last link did not come to its end");
  const auto started = std::chrono::steady_clock::now();
  const int ended = hone::run_command(command);
  if (ended == 0) {
    hone::make_links(link, settings,
                     std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::steady_clock::now() - started));
  }
  return ended;
}
