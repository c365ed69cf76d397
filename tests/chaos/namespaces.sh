# Sourced by the scripts that need a network, mounts and processes of their own.
#
#   find_namespaces            fails with $missing set where something is not to be had
#   run_in_namespaces COMMAND  runs it with --root DIR added and exits as it did; DIR goes if all went
#                              well, unless $keep is set

find_namespaces() {
  local program
  for program in unshare python3 psql mount ip; do
    command -v "$program" > /dev/null || { missing="no $program"; return 1; }
  done
  compgen -G '/usr/lib/postgresql/*/bin/initdb' > /dev/null || { missing="no PostgreSQL"; return 1; }
  own=(unshare --net --mount --pid --fork --mount-proc --kill-child=KILL)
  if [ "$(id -u)" != 0 ]; then
    own=(unshare --user --map-current-user --keep-caps "${own[@]:1}")
  fi
  "${own[@]}" bash -c 'ip link set lo up && mount -t tmpfs none /mnt' 2> /dev/null ||
    { missing="no namespaces of one's own (as this user, on this machine)"; return 1; }
}

run_in_namespaces() {
  local root status=0
  root=$(mktemp -d "/var/tmp/hone-${0##*/}.XXXXXX")
  chmod 711 "$root"
  # What is mounted is gone with the namespace. The sizes are what a fault can fill up in a moment.
  PYTHONDONTWRITEBYTECODE=1 "${own[@]}" bash -c '
    set -e
    ip link set lo up
    mount -t tmpfs -o mode=1777 none /dev/shm
    mkdir "$1/pg" "$1/artifacts"
    mount -t tmpfs -o size=768m,mode=711 none "$1/pg"
    mount -t tmpfs -o size=96m,mode=700 none "$1/artifacts"
    cd "$1"
    exec "${@:2}" --root "$1"' "$0" "$root" "$@" || status=$?
  if [ "$status" -eq 0 ] && [ -z "$keep" ]; then
    rm -rf "$root"
  elif [ "$status" -ne 77 ]; then
    echo "${0##*/}: logs and journals are kept in $root" >&2
  fi
  exit "$status"
}
