// Fuzzes the parser of pipelines: what it accepts is printed and read again as the same, the
// canonical form is one, and the allow-list says yes or no.
#include <string_view>

#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const hone::Result<hone::Forest> forest = hone::parse_pipeline(text);
  if (!forest.has_value()) {
    FUZZ_CHECK(!forest.error().message.empty());
    return 0;
  }
  const hone::Result<hone::Forest> again = hone::parse_pipeline(hone::print(*forest));
  FUZZ_CHECK(again.has_value() && *again == *forest);
  const hone::Forest canonical = hone::canonical(*forest);
  FUZZ_CHECK(hone::canonical(canonical) == canonical);
  FUZZ_CHECK(hone::pipeline_hash(canonical) == hone::pipeline_hash(*forest));
  const bool allowed = hone::check_pipeline(*forest, 19).has_value();
  if (allowed && !canonical.nodes.empty()) {
    FUZZ_CHECK(hone::check_pipeline(canonical, 19).has_value());
  }
  FUZZ_CHECK(hone::is_default(text) == !hone::default_level(text).empty());
  return 0;
}
