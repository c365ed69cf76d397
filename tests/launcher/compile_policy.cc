// compile_policy DOCUMENT INDEX: writes the index of a policy document, unsigned. For the
// launcher's tests only; users have `hone policy compile`.
#include <cstdio>

#include "common/base/file.h"
#include "common/policy/decision_files.h"
#include "common/policy/index.h"
#include "common/policy/policy_json.h"

namespace {

hone::Result<void> compile(const char* document, const char* index, const char* folder,
                           const std::vector<std::string>& sources) {
  HONE_TRY(const std::string text, hone::read_file(document, std::size_t{256} << 20U));
  HONE_TRY(const hone::ParsedPolicy parsed, hone::parse_policy(text));
  HONE_TRY(const std::string bytes, hone::compile_index(parsed.policy));
  if (folder != nullptr) {
    HONE_CHECK(hone::write_decision_files(parsed.policy, sources, folder));
  }
  return hone::write_file_atomically(index, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: compile_policy DOCUMENT INDEX [FOLDER SOURCE...]\n", stderr);
    return 2;
  }
  const std::vector<std::string> sources(argv + (argc > 4 ? 4 : argc), argv + argc);
  const hone::Result<void> done = compile(argv[1], argv[2], argc > 3 ? argv[3] : nullptr, sources);
  if (!done.has_value()) {
    std::fprintf(stderr, "compile_policy: %s\n", done.error().describe().c_str());
    return 1;
  }
  return 0;
}
