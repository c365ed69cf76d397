#!/bin/sh
# Lets Debian's bazel-bootstrap 4.2.3 build C and C++ without a network.
#   offline_rules.sh FOLDER     makes FOLDER with the rules that Bazel would fetch, and FOLDER/bazelrc
# Then: bazel --bazelrc=FOLDER/bazelrc build ..., or `import FOLDER/bazelrc` in your .bazelrc.
# Needs the packages bazel-bootstrap, bazel-rules-cc, bazel-rules-java and bazel-rules-proto.
set -eu
[ $# = 1 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
debian=/usr/share/bazel/rules
mkdir -p "$1"
folder=$(cd "$1" && pwd)
for rules in cc java proto; do
  [ -d "$debian/$rules" ] || {
    echo "offline_rules: no $debian/$rules; install the package bazel-rules-$rules" >&2
    exit 1
  }
  rm -rf "${folder:?}/$rules"
  cp -rL "$debian/$rules" "$folder/$rules"
done
# Debian's rules_cc is newer than its Bazel, which has no use_cpp_toolchain: a toolchain type by name
# is what that function of later versions returns.
find "$folder/cc" -name '*.bzl' -exec sed -i \
  -e 's/, "use_cpp_toolchain")/)/' \
  -e 's/= use_cpp_toolchain(),/= ["@bazel_tools\/\/tools\/cpp:toolchain_type"],/' {} +
# Tests name Bazel's coverage tools, which only `bazel coverage` runs.
mkdir -p "$folder/coverage"
echo 'workspace(name = "remote_coverage_tools")' > "$folder/coverage/WORKSPACE"
cat > "$folder/coverage/BUILD" <<'BUILD'
package(default_visibility = ["//visibility:public"])
[filegroup(name = name) for name in ["coverage_report_generator", "lcov_merger"]]
BUILD
{
  printf 'common --override_repository=remote_coverage_tools=%s/coverage\n' "$folder"
  for rules in cc java proto; do
    printf 'common --override_repository=rules_%s=%s/%s\n' "$rules" "$folder" "$rules"
  done
} > "$folder/bazelrc"
