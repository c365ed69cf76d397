#!/usr/bin/env bash
# deploy/container/Containerfile: no stage that is shipped runs as root, and honed has a health check; then both
# images are built by podman from the packages of a build tree, on a Debian that mmdebstrap makes, and run:
# honed with a read-only system, healthy, as user 10001 without rights, with a worker beside it, and stopped by
# SIGTERM. What is not tested is the compile within a container: it is the build that made the packages.
#
#   container.sh BUILD
#
# Needs root, podman, runc and mmdebstrap; exit code 77 where one is missing (the first part runs anyway).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:?usage: container.sh BUILD}" && pwd)
file=$here/deploy/container/Containerfile

python3 - "$file" <<'PYTHON'
import re, sys
stages, text = {}, re.sub(r"\\\n", " ", open(sys.argv[1]).read())
for line in text.splitlines():
    if not line or line.startswith("#"):
        continue
    word, rest = line.split(None, 1)
    if word == "FROM":
        name = rest.split(" AS ")[1]
        stages[name] = {}
    elif stages:
        stages[name][word] = rest
for name in ("honed", "worker"):
    user = stages[name].get("USER", "0").split(":")[0]
    assert user.isdigit() and int(user) > 0, f"{name} runs as {user}: a number, for runAsNonRoot"
    assert stages[name]["ENTRYPOINT"].startswith('["/usr/bin/hone'), f"{name} is started by a shell"
    assert "HEALTHCHECK" in stages[name], f"{name} says nothing about its health"
assert "/readyz" in stages["honed"]["HEALTHCHECK"]
print(f"Containerfile: stages {' '.join(stages)}, none of those that are shipped runs as root")
PYTHON

for program in podman runc mmdebstrap cpack; do
  command -v "$program" > /dev/null || { echo "SKIP: no $program: the images were not built"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "SKIP: needs root: the images were not built"; exit 77; }
W=$(mktemp -d /var/tmp/hone-container.XXXXXX)
mkdir "$W/debs" "$W/context"
cat > "$W/storage.conf" <<CONF
[storage]
driver = "overlay"
runroot = "$W/run"
graphroot = "$W/graph"
CONF
export CONTAINERS_STORAGE_CONF=$W/storage.conf
# Limits and control groups as they are: a container within a container may not raise them.
docker() { podman --runtime runc --cgroup-manager cgroupfs --events-backend none "$@" 2> >(grep -v 'CNI config' >&2); }
finish() {
  local status=$?
  trap - EXIT
  docker rm --all --force > /dev/null 2>&1
  umount "$W/graph/overlay" 2> /dev/null
  rm -rf "$W"
  exit "$status"
}
trap finish EXIT
no() { echo "WRONG: $*"; exit 1; }

(cd "$build" && cpack -G DEB -B "$W/debs") > "$W/cpack" 2>&1 || { tail -n 30 "$W/cpack"; exit 1; }
mmdebstrap --quiet --variant=minbase bookworm "$W/base.tar" > "$W/mmdebstrap" 2>&1 ||
  { echo "SKIP: no Debian to be had: $(tail -n 1 "$W/mmdebstrap")"; exit 77; }
docker import -q "$W/base.tar" localhost/base:12 > /dev/null
rm "$W/base.tar"
mv "$W"/debs/*.deb "$W/context"
printf 'FROM scratch\nCOPY *.deb /packages/\n' > "$W/packages"
docker build -q -f "$W/packages" -t localhost/packages "$W/context" > /dev/null
# Without the stage that compiles, which this version of podman would build although nothing is taken from it.
awk '/^FROM/ { skip = / AS build$/ } !skip' "$file" > "$W/Containerfile"
for target in honed worker; do
  docker build -f "$W/Containerfile" --target "$target" --build-arg BASE=localhost/base:12 \
    --build-arg PACKAGES=localhost/packages --format docker --isolation chroot --network host \
    -t "localhost/hone/$target" "$W/context" > "$W/build-$target" 2>&1 || { tail -n 30 "$W/build-$target"; exit 1; }
done
echo "images: $(docker images --format '{{.Repository}} {{.Size}}' --filter reference='localhost/hone/*' | tr '\n' ';')"

limits=(--ulimit nofile=1024:1024 --ulimit nproc=4096:4096 --cap-drop all --security-opt no-new-privileges --read-only --tmpfs /tmp)
docker run -d --name honed --network none "${limits[@]}" -v hone-data:/var/lib/hone localhost/hone/honed > /dev/null
for ((i = 0; ; i++)); do
  docker healthcheck run honed > /dev/null 2>&1 && break
  [ $i -lt 60 ] || no "honed does not become healthy: $(docker logs honed 2>&1 | tail -n 5)"
  sleep 1
done
[ "$(docker exec honed id -un)" = hone ] || no "honed runs as $(docker exec honed id)"
[ "$(docker exec honed sed -n 's/^CapEff:\s*//p' /proc/1/status)" = 0000000000000000 ] || no "honed has rights"
docker exec honed hone token create w --role worker --output /var/lib/hone/w.token > /dev/null
docker run --rm --network container:honed "${limits[@]}" -v hone-work:/var/lib/hone-worker -v hone-data:/data:ro \
  localhost/hone/worker --work /var/lib/hone-worker/w --token-file /data/w.token --exit-when-idle 0 > "$W/worker" 2>&1 ||
  no "the worker: $(tail -n 5 "$W/worker")"
grep -q worker_registered "$W/worker" || no "the worker did not register: $(tail -n 5 "$W/worker")"
docker stop --time 30 honed > /dev/null
[ "$(docker inspect honed --format '{{.State.ExitCode}}')" = 0 ] || no "SIGTERM did not end it in order: $(docker logs honed 2>&1 | tail -n 5)"
echo "honed and a worker ran in their images, unprivileged, with a read-only system"
