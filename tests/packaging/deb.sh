#!/usr/bin/env bash
# The Debian packages: made by cpack, looked through by dpkg-deb and lintian, installed into an overlay of
# this machine's own system (in a mount namespace of the test), where the programs must run from /usr and
# the units must be what systemd takes; then removed and purged, with nothing left but data.
#
#   deb.sh BUILD
#
# Needs root, overlayfs and what the packages depend on; exit code 77 where one is missing.
set -euo pipefail
build=$(cd "${1:?usage: deb.sh BUILD}" && pwd)
for program in cpack dpkg-deb dpkg-shlibdeps fakeroot; do
  command -v "$program" > /dev/null || [ $program = fakeroot ] || { echo "SKIP: no $program"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "SKIP: installing packages needs root"; exit 77; }
W=$(mktemp -d /var/tmp/hone-deb.XXXXXX)
trap 'rm -rf "$W"' EXIT
wrong=0
no() { printf 'WRONG: %s\n' "$*"; wrong=$((wrong + 1)); }

(cd "$build" && cpack -G DEB -B "$W/debs") > "$W/cpack" 2>&1 || { tail -n 30 "$W/cpack"; exit 1; }
cd "$W/debs"
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
for package in hone hone-server hone-worker; do
  [ -f "${package}_$version-1_amd64.deb" ] || { echo "WRONG: no $package among $(ls)"; exit 1; }
  dpkg-deb -c "${package}_$version-1_amd64.deb" > "$W/$package.files"
  # Nothing belongs to whoever built it, nothing is for everybody to write.
  ! awk '{ print $2, $1 }' "$W/$package.files" | grep -vE '^root/root [-dl][rwx-]{6}r-[x-]$|^root/root l' ||
    no "$package: owner or mode"
done
holds() { # PACKAGE PATH...
  local package=$1 path
  shift
  for path in "$@"; do
    grep -qE " \.$path\$" "$W/$package.files" || no "$package has no $path"
  done
}
completions=/usr/share/bash-completion/completions
holds hone /usr/bin/hone /usr/bin/hone-cc /usr/bin/hone-session /usr/bin/hone-learner /usr/lib/hone/libhone_pass-19.so \
  /usr/lib/cmake/Hone/HoneConfig.cmake $completions/hone $completions/hone-learner /usr/share/hone/ci/README.md
holds hone-server /usr/bin/honed /lib/systemd/system/honed.service /etc/hone/honed.yaml /usr/lib/sysusers.d/hone.conf $completions/honed
holds hone-worker /usr/bin/hone-worker /lib/systemd/system/hone-worker.service /etc/hone/worker.yaml $completions/hone-worker \
  /usr/share/hone/slurm/hone-slurm-scale /usr/share/hone/slurm/hone-worker.sbatch
depends() { dpkg-deb -f "$1"_*.deb Depends; }
depends hone-server | grep -q 'libpq5' || no "hone-server does not depend on libpq5: $(depends hone-server)"
depends hone-server | grep -qF "hone (= $version-1)" || no "hone-server takes any hone: $(depends hone-server)"
depends hone-worker | grep -q 'bubblewrap' || no "hone-worker does without bubblewrap: $(depends hone-worker)"
! depends hone | grep -qE 'postgresql|bubblewrap' || no "hone wants too much: $(depends hone)"

if command -v lintian > /dev/null; then
  # Not said of these: man pages (--help tells it), and that /usr/lib/hone is ours.
  lintian --tag-display-limit 0 --fail-on error --suppress-tags no-manual-page,initial-upload-closes-no-bugs \
    --allow-root ./*.deb > "$W/lintian" 2>&1 || no "lintian: $(cat "$W/lintian")"
  echo "lintian: $(grep -c '^E:' "$W/lintian" || true) errors, $(grep -c '^W:' "$W/lintian" || true) warnings"
  sed 's/^/  /' "$W/lintian"
else
  echo "SKIPPED: no lintian"
fi

mkdir "$W/upper" "$W/scratch" "$W/root"
# inside COMMAND: in the overlay, whose changes stay in $W/upper. Its /proc is this namespace's.
cat > "$W/inside" <<'INSIDE'
mount -t overlay overlay -o "lowerdir=/,upperdir=$W/upper,workdir=$W/scratch" "$W/root" || exit 77
mount -t proc proc "$W/root/proc" && mount --rbind /dev "$W/root/dev" && mount --rbind /sys "$W/root/sys" && mount -t tmpfs tmpfs "$W/root/run" &&
  mkdir "$W/root/run/lock" && mkdir -p "$W/root/debs" && mount --bind "$W/debs" "$W/root/debs" || exit 77
exec chroot "$W/root" /bin/bash -euo pipefail -c "$1"
INSIDE
export W
inside() { unshare --mount --pid --fork bash "$W/inside" "$1"; }
inside true 2> "$W/mount" || { echo "SKIP: no overlay here: $(cat "$W/mount")"; exit 77; }
export DEBIAN_FRONTEND=noninteractive

inside 'dpkg -i /debs/*.deb' > "$W/install" 2>&1 || { cat "$W/install"; echo "WRONG: dpkg -i"; exit 1; }
inside '
  [ -z "$(dpkg --audit)" ] && dpkg --verify hone hone-server hone-worker
  for program in hone honed hone-worker hone-learner; do
    [ "$(command -v $program)" = /usr/bin/$program ] && "$program" --version
  done
  [ "$(stat -c "%U %a" /var/lib/hone)" = "hone 711" ] && [ "$(stat -c "%U:%G %a" /etc/hone/honed.yaml)" = "root:hone 640" ]
  systemd-analyze verify --man=no honed.service hone-worker.service
  systemd-tmpfiles --create --dry-run hone.conf 2>/dev/null || true
  systemd-analyze security --offline=true --threshold=20 honed.service > /dev/null
  systemd-analyze security --offline=true --threshold=65 hone-worker.service > /dev/null
  bash -c ". /usr/share/bash-completion/completions/hone; complete -p hone" > /dev/null
' > "$W/installed" 2>&1 || no "installed: $(cat "$W/installed")"
sed 's/^/  /' "$W/installed"

# As the units have it: honed as its user, from its data folder, with a private database.
inside '
  setpriv --reuid=hone --regid=hone --clear-groups --no-new-privs --bounding-set=-all \
    honed --config /etc/hone/honed.yaml --data /var/lib/hone --listen 127.0.0.1:0 > /tmp/honed.out 2>&1 &
  honed=$!
  for ((i = 0; i < 300; i++)); do [ -s /var/lib/hone/honed.address ] && break; sleep 0.1; done
  export HONE_URL=http://$(cat /var/lib/hone/honed.address) HONE_TOKEN_FILE=/var/lib/hone/admin.token
  hone token create w --role worker --output /etc/hone/worker.token > /dev/null
  hone target list
  caps=$(sed -n "s/^CapabilityBoundingSet=//p" /lib/systemd/system/hone-worker.service | tr "A-Z" "a-z" | sed "s/cap_/+/g; s/ /,/g")
  work() { # COMMAND...: a worker that looks for jobs once, under what COMMAND leaves it
    "$@" hone-worker --config /etc/hone/worker.yaml --token-file /etc/hone/worker.token --work /var/lib/hone-worker --exit-when-idle 0
  }
  work env > /tmp/all.out 2>&1 || { cat /tmp/all.out; exit 1; }
  work setpriv --no-new-privs --bounding-set="-all,$caps" --inh-caps=-all > /tmp/unit.out 2>&1 || { cat /tmp/unit.out; exit 1; }
  grep -q worker_registered /tmp/unit.out || { cat /tmp/unit.out; exit 1; }
  # With the rights that the unit leaves, its jobs are locked in as with all of them.
  sandbox() { sed -n "s/.*\"event\":\"sandbox_incomplete\",//p" "$1"; }
  diff <(sandbox /tmp/all.out) <(sandbox /tmp/unit.out) || { echo "the unit takes something that the sandbox needs"; exit 1; }
  kill -TERM $honed && wait $honed || { cat /tmp/honed.out; exit 1; }
' > "$W/run" 2>&1 || no "run: $(cat "$W/run")"

inside 'dpkg -r hone-worker hone-server hone' > "$W/remove" 2>&1 || no "dpkg -r: $(cat "$W/remove")"
inside '[ -f /etc/hone/honed.yaml ] && [ -d /var/lib/hone/postgres ]' || no "settings or data went with the programs"
inside 'dpkg -P hone-worker hone-server hone' > "$W/purge" 2>&1 || no "dpkg -P: $(cat "$W/purge")"
grep -q 'is left as it is' "$W/purge" || no "a purge does not say what it leaves"
left=$(cd "$W/upper" && find . -type f \( -path './usr/*' -o -path './lib/*' -o -path './etc/hone/*' \) -iname '*hone*' | head)
[ -z "${left//.\/etc\/hone\/worker.token/}" ] || no "left behind: $left"
[ $wrong = 0 ] || exit 1
echo "three packages: installed, run, removed"
