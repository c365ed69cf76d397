#include "build_integration/cli/target_file.h"

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/yaml/yaml_document.h"

namespace hone {
namespace {

// -9 or true without quotes is no text in YAML: the likeliest slip in a command, so it is
// explained.
void explain_unquoted(Error& error, const Json& document) {
  for (FieldProblem& field : error.fields) {
    const Json::json_pointer pointer(field.pointer);
    if (!document.contains(pointer)) {
      continue;
    }
    const Json& value = document.at(pointer);
    if ((value.is_number() || value.is_boolean()) &&
        field.detail.find("text") != std::string::npos) {
      field.detail += " (quote it: \"" + value.dump() + "\")";
    }
  }
}

}  // namespace

Result<TargetSpec> parse_target_text(std::string_view text) {
  HONE_TRY(const YamlDocument document, parse_yaml(text));
  Result<TargetSpec> spec = parse_target_spec(document.value, UnknownKeys::refuse);
  if (!spec) {
    Error error = spec.error();
    explain_unquoted(error, document.value);
    return with_lines(std::move(error), document);
  }
  return spec;
}

Result<TargetSpec> read_target_file(const std::filesystem::path& path) {
  HONE_TRY(const std::string text, read_file(path, kMaxYamlBytes));
  Result<TargetSpec> spec = parse_target_text(text);
  if (!spec) {
    return spec.error().within(path.string());
  }
  return spec;
}

}  // namespace hone
