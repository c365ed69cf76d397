#!/bin/bash
# Fetches Debian source packages, signatures checked, without touching the machine's apt configuration:
#   debian_source.sh FOLDER PACKAGE...     unpacks FOLDER/PACKAGE (one folder each, replaced if there)
#
# It makes a private apt root whose only sources are the machine's own Debian mirrors (as deb-src,
# checked against Debian's archive key), so it works as root and as a plain user, and deletes it at
# the end. The mirror's address is the machine owner's business: nothing of it is printed.
set -euo pipefail
umask 022
[ $# -ge 2 ] || { echo "usage: debian_source.sh FOLDER PACKAGE..." >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
key=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$key" ] || { echo "debian_source: $key is missing (package debian-archive-keyring)" >&2; exit 1; }
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -p "$root"/{etc/sources.list.d,etc/preferences.d,state/lists/partial,cache/archives/partial,log}
: > "$root/state/status"  # an empty dpkg status: only sources are wanted

# Debian's own suites of this release, from both formats of apt's sources. A source that names
# another key is not Debian's; one that names none still has to pass Debian's key here.
sources() {
  local file
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -r "$file" ] || continue
    awk -v key="$key" -v codename="$codename" '
      function flush(   n, list, i, kept) {
        n = split(suites, list, " ")
        for (i = 1; i <= n; i++)
          if (list[i] ~ "^(" codename "|stable)(-updates|-security)?$") kept = kept " " list[i]
        if (uris != "" && kept != "" && parts != "" && enabled !~ /^no/ && types ~ /deb/ &&
            (signer == "" || signer ~ /debian-archive/))
          printf "Types: deb-src\nURIs: %s\nSuites:%s\nComponents: %s\nSigned-By: %s\n\n",
                 uris, kept, parts, key
        uris = suites = parts = types = signer = enabled = ""
      }
      /^[ \t]*#/ { next }
      /^[ \t]*$/ { flush(); next }
      /^[A-Za-z-]+:/ {
        name = tolower($0); sub(/:.*/, "", name)
        value = $0; sub(/^[^:]*:[ \t]*/, "", value)
        if (name == "uris") uris = value
        else if (name == "suites") suites = value
        else if (name == "components") parts = value
        else if (name == "types") types = value
        else if (name == "enabled") enabled = value
        else if (name == "signed-by") signer = value == "" ? "inline" : value
      }
      END { flush() }' "$file"
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -r "$file" ] || continue
    awk -v key="$key" -v codename="$codename" '
      { sub(/#.*/, ""); signer = "" }
      match($0, /\[[^]]*\]/) {
        options = substr($0, RSTART, RLENGTH)
        $0 = substr($0, 1, RSTART - 1) " " substr($0, RSTART + RLENGTH)
        if (options ~ /signed-by=/) signer = options
      }
      ($1 == "deb" || $1 == "deb-src") && $3 ~ "^(" codename "|stable)(-updates|-security)?$" &&
          (signer == "" || signer ~ /debian-archive/) && !seen[$2, $3]++ {
        parts = ""
        for (i = 4; i <= NF; i++) parts = parts " " $i
        printf "Types: deb-src\nURIs: %s\nSuites: %s\nComponents:%s\nSigned-By: %s\n\n",
               $2, $3, parts, key
      }' "$file"
  done
}
(umask 077 && sources > "$root/etc/sources.list.d/debian.sources")
[ -s "$root/etc/sources.list.d/debian.sources" ] || {
  echo "debian_source: this machine's apt has no Debian source for ${codename:-its release}" >&2
  exit 1
}

options=(
  -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$root/etc/sources.list.d"
  -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts="$root/etc/preferences.d"
  -o Dir::Etc::Trusted=/dev/null -o Dir::Etc::TrustedParts=/dev/null
  -o Dir::State="$root/state" -o Dir::State::status="$root/state/status"
  -o Dir::Cache="$root/cache" -o Dir::Log="$root/log"
  -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none
  -o Acquire::AllowInsecureRepositories=false -o Acquire::AllowWeakRepositories=false
  -o APT::Get::AllowUnauthenticated=false -o Debug::NoLocking=1
)

# What apt said, without the addresses of mirrors and proxies.
hidden_log() {
  {
    sed -n 's/^URIs: //p' "$root/etc/sources.list.d/debian.sources" | tr ' ' '\n'
    apt-config dump 2>/dev/null | sed -n 's/^Acquire::[a-z:]*Proxy[^"]*"\(.*\)";$/\1/pI'
  } | sed -E 's#^[a-z+]+://##; s#^[^/@]*@##; s#[/:].*##' | grep . | sort -u |
    sed -E 's/[][\.*^$]/\\&/g; s#.*#s/&/MIRROR/g#' > "$root/hide.sed" || true
  sed -E 's#[a-z+]+://[^ ]+#MIRROR#g; s#\[IP: [^]]*\]##g; s#[0-9]{1,3}(\.[0-9]{1,3}){3}#ADDRESS#g' "$1" |
    sed -f "$root/hide.sed" | grep -E '^(E|W|Err|dpkg-source|gpg)' | tail -n 8 || true
}

if ! apt-get "${options[@]}" -o APT::Update::Error-Mode=any -q update > "$root/update.log" 2>&1; then
  echo "debian_source: cannot read the lists of Debian's source packages:" >&2
  hidden_log "$root/update.log" >&2
  exit 1
fi

for package in "$@"; do
  case $package in
    "" | -* | *[!a-z0-9.+-]*) echo "debian_source: '$package' is no package name" >&2; exit 2 ;;
  esac
  unpacked=
  # A security mirror may list a version that it no longer holds (404): then the release's own.
  for wanted in "$package" "$package/$codename"; do
    rm -rf "$root/source"
    mkdir "$root/source"
    if (cd "$root/source" && apt-get "${options[@]}" -q source "$wanted") > "$root/source.log" 2>&1; then
      unpacked=$(find "$root/source" -mindepth 1 -maxdepth 1 -type d | head -n 1)
      [ -n "$unpacked" ] && break
    fi
  done
  if [ -z "$unpacked" ]; then
    echo "debian_source: cannot fetch $package:" >&2
    hidden_log "$root/source.log" >&2
    exit 1
  fi
  version=$(sed -n 's/^Version: //p' "$root"/source/*.dsc | head -n 1)
  rm -rf "${folder:?}/$package"
  mv "$unpacked" "$folder/$package"
  echo "debian_source: $package $version"
done
