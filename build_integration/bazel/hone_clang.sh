#!/bin/sh
# The compiler of hone_toolchain: %{clang} through the hone-cc beside this script.
#
# A compile whose source has a decision file names it with -Xlinker --hone-decision=FILE (defs.bzl),
# on its command line or in a parameter file; the others use the policy beside this script, if there
# is one. Rules are about sources as Bazel names them, relative to the working folder. Where
# HONE_POLICY is set (`hone tune` builds candidates so), it and the other variables hold, and nothing
# here does.
here=${0%/*}
if [ -n "${HONE_POLICY-}" ]; then
  exec "$here/hone-cc" --plugin-dir="$here" %{clang} "$@"
elif [ -e "$here/policy" ]; then
  exec "$here/hone-cc" --plugin-dir="$here" --root=. --named-decisions --policy="$here/policy" %{clang} "$@"
fi
exec "$here/hone-cc" --plugin-dir="$here" --root=. --named-decisions %{clang} "$@"
