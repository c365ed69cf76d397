#!/bin/sh
# Installs the Debian packages that Hone needs and that are missing; does nothing when all are there.
#   install_packages.sh          what quickstart.sh needs: sections [run] and [build] of packages.txt
#   install_packages.sh --test   what the tests need besides
#   install_packages.sh --deploy what the tests of deploy/ need besides that (Slurm, lintian ...)
#   install_packages.sh --perf   what the benchmarks of tests/perf need besides that
# Needs root or sudo, but only if something is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sections="run build"
case "${1-}" in
  "") ;;
  --test) sections="run build test" ;;
  --deploy) sections="run build test deploy" ;;
  --perf) sections="run build test perf" ;;
  *) echo "usage: install_packages.sh [--test | --deploy | --perf]" >&2; exit 2 ;;
esac

command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || {
  echo "install_packages: needs Debian's apt-get; on other systems install the equivalents of deploy/packages.txt" >&2
  exit 1
}

wanted=$(awk -v sections=" $sections " '
  { sub(/#.*/, ""); gsub(/[ \t\r]/, "") }
  /^\[.*\]$/ { section = substr($0, 2, length($0) - 2); next }
  $0 != "" && index(sections, " " section " ") { print }' "$here/packages.txt")

# A Node.js of another source brings its own npm, which Debian's would conflict with. What is there and new enough stays.
node_major() { node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0; }
if command -v npm >/dev/null && [ "$(node_major)" -ge 18 ]; then
  wanted=$(echo "$wanted" | grep -vxE 'nodejs|npm')
fi

# "install ok installed" is the one state that means usable.
installed=$(dpkg-query -W -f='${Package} ${Status}\n' 2>/dev/null |
  awk '$2 == "install" && $3 == "ok" && $4 == "installed" { print $1 }' | sort -u)
missing=$(echo "$wanted" | sort -u |
  awk -v installed="$(echo "$installed" | tr '\n' ' ')" '
    BEGIN { n = split(installed, list, " "); for (i = 1; i <= n; i++) have[list[i]] = 1 }
    !($1 in have) { print }')
if [ -z "$missing" ]; then
  echo "install_packages: nothing to install ($(echo "$wanted" | wc -l) packages are there)"
  exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "install_packages: run as root (no sudo here); these packages are missing:" $missing >&2
    exit 1
  }
  as_root=sudo
fi

# Package lists are refreshed only if they do not know all that is missing, or the install fails.
known() { apt-cache policy "$@" 2>/dev/null | awk '/Candidate:/ && $2 != "(none)"' | wc -l; }
update() {
  echo "install_packages: apt-get update"
  $as_root apt-get -q=2 update || {
    echo "install_packages: apt-get update failed" >&2
    exit 1
  }
}
install() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q=2 -y --no-install-recommends install $missing
}
count=$(echo "$missing" | wc -l)
updated=no
if [ "$(known $missing)" -lt "$count" ]; then
  update
  updated=yes
fi
echo "install_packages: installing $count packages:" $missing
if ! install; then
  if [ "$updated" = yes ]; then
    echo "install_packages: installation failed" >&2
    exit 1
  fi
  update
  install || {
    echo "install_packages: installation failed" >&2
    exit 1
  }
fi
