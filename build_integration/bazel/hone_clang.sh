#!/bin/sh
# The compiler of hone_toolchain: %{clang} through the hone-cc beside this script.
#
# A compile whose source has a decision file names it with --hone-decision=FILE (defs.bzl), which is
# for the launcher alone; the others use the policy beside this script, if there is one. Rules are
# about sources as Bazel names them, relative to the working folder. Where HONE_POLICY is set
# (`hone tune` builds candidates so), it and the other variables hold, and nothing here does.
here=${0%/*}
policy=
[ ! -e "$here/policy" ] || policy=$here/policy
case $* in
  *--hone-decision=*)
    for argument; do
      shift
      case $argument in
        --hone-decision=*) policy=${argument#*=} ;;
        *) set -- "$@" "$argument" ;;
      esac
    done
    ;;
esac
if [ -n "${HONE_POLICY-}" ]; then
  exec "$here/hone-cc" --plugin-dir="$here" %{clang} "$@"
elif [ -n "$policy" ]; then
  exec "$here/hone-cc" --plugin-dir="$here" --policy="$policy" --root=. %{clang} "$@"
fi
exec %{clang} "$@"
