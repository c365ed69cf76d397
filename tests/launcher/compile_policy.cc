// compile_policy DOCUMENT INDEX: writes the index of a policy document, unsigned. For the
// launcher's tests only; users have `hone policy compile`.
#include <cstdio>

#include "common/base/file.h"
#include "common/policy/index.h"
#include "common/policy/policy_json.h"

namespace {

hone::Result<void> compile(const char* document, const char* index) {
  HONE_TRY(const std::string text, hone::read_file(document, std::size_t{256} << 20U));
  HONE_TRY(const hone::ParsedPolicy parsed, hone::parse_policy(text));
  HONE_TRY(const std::string bytes, hone::compile_index(parsed.policy));
  return hone::write_file_atomically(index, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: compile_policy DOCUMENT INDEX\n", stderr);
    return 2;
  }
  const hone::Result<void> done = compile(argv[1], argv[2]);
  if (!done.has_value()) {
    std::fprintf(stderr, "compile_policy: %s\n", done.error().describe().c_str());
    return 1;
  }
  return 0;
}
