#include "build_integration/cli/policy_options.h"

#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "build_integration/cli/source_list.h"
#include "common/base/printable.h"

namespace hone {

void add_compile_options(CLI::App& app, CompileOptions& options) {
  app.add_option("--per-source", options.per_source,
                 "Also write one decision file per source into this folder, touching only those "
                 "whose decision changed");
  app.add_option("--sources", options.sources,
                 "File with the sources for --per-source, one a line relative to the source root; "
                 "- is standard input");
  app.add_option("--compile-commands", options.compile_commands,
                 "compile_commands.json that names the sources instead");
  app.add_option("--root", options.root,
                 "Source root that --compile-commands' files are made relative to [default: .]");
  app.add_option("--public-key", options.public_keys,
                 "Verify the signature with this key (PEM); given again, with any of them");
  app.add_flag("--unsigned", options.allow_unsigned, "Go without a signature");
}

std::vector<std::filesystem::path> trusted_keys(const CompileOptions& options) {
  return {options.public_keys.begin(), options.public_keys.end()};
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    fmt::print(stderr, "hone: warning: {}\n", printable(warning));
  }
}

Result<std::vector<std::string>> sources_of(const CompileOptions& options) {
  if (options.per_source.empty()) {
    return std::vector<std::string>();
  }
  return list_sources({options.sources, options.compile_commands, options.root});
}

}  // namespace hone
