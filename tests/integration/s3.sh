#!/usr/bin/env bash
# Artifacts in a bucket: honed against moto's S3, which checks every signature and permission as botocore computes them.
# Small and large ones (in parts) come and go, sessions get their program, collection removes objects, and what is wrong
# with the bucket or the credentials is said at the start.
#
# Needs PyPI for moto in a virtual environment; HONE_MOTO_VENV names a folder that keeps it. SKIPPED without.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
skip() { echo "SKIPPED: $*"; exit 77; }
venv=${HONE_MOTO_VENV:-$W/venv}
if [ ! -x "$venv/bin/moto_server" ]; then
  python3 -m venv "$venv" > "$W/venv.log" 2>&1 || skip "python3 makes no virtual environment: $(tail -1 "$W/venv.log")"
  "$venv/bin/python" -m pip install -q 'moto[server]>=5,<6' > "$W/pip.log" 2>&1 ||
    skip "PyPI does not give moto: $(grep -m1 '^ *ERROR' "$W/pip.log" || tail -1 "$W/pip.log")"
fi
port=$("$venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
endpoint=http://127.0.0.1:$port
# The first four requests, those below, set it up; all others are checked.
INITIAL_NO_AUTH_ACTION_COUNT=4 "$venv/bin/moto_server" -H 127.0.0.1 -p "$port" > "$W/moto.log" 2>&1 &
moto=$!
trap 'kill -9 $moto 2>/dev/null; clean_up' EXIT
await 60 curl -sf "$endpoint/moto-api/" || skip "moto does not start: $(tail -1 "$W/moto.log")"
"$venv/bin/python" - "$endpoint" > "$W/keys" <<'PYTHON' || skip "moto cannot be set up"
import json, sys, boto3
with_keys = dict(endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
iam = boto3.client("iam", **with_keys)
iam.create_user(UserName="hone")
key = iam.create_access_key(UserName="hone")["AccessKey"]
rule = {"Effect": "Allow", "Action": "s3:*", "Resource": ["arn:aws:s3:::builds", "arn:aws:s3:::builds/*"]}
iam.put_user_policy(UserName="hone", PolicyName="artifacts",
                    PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [rule]}))
boto3.client("s3", **with_keys).create_bucket(Bucket="builds")
print(key["AccessKeyId"], key["SecretAccessKey"])
PYTHON
read -r id secret < "$W/keys"
mkdir "$W/aws"
printf '[ci]\naws_access_key_id = %s\naws_secret_access_key = %s\n' "$id" "$secret" > "$W/aws/credentials"
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_REGION
export AWS_SHARED_CREDENTIALS_FILE=$W/aws/credentials AWS_PROFILE=ci no_proxy=127.0.0.1
place="?endpoint=$endpoint&region=us-east-1&path_style=1"

# What is wrong is said at the start: refused NAME WORDS [NAME=VALUE...]
refused() {
  local bucket=$1 words=$2
  shift 2
  env "$@" "$BIN/honed" --data "$W/refused" --listen 127.0.0.1:0 --artifacts "s3://$bucket/x$place" > "$W/refused.out" 2>&1
  [ $? -ne 0 ] && grep -q "$words" "$W/refused.out" || no "$bucket: does not say \"$words\": $(tail -2 "$W/refused.out")"
  grep -qF "$secret" "$W/refused.out" && no "a secret is in the log"
}
refused other 'access denied\|bucket does not exist'
refused builds 'does not accept our credentials' AWS_ACCESS_KEY_ID="$id" AWS_SECRET_ACCESS_KEY=wrong
refused builds 'no S3 credentials' AWS_SHARED_CREDENTIALS_FILE=/nonexistent
"$BIN/honed" --data "$W/refused" --artifacts 's3://k:s@builds' > "$W/refused.out" 2>&1
grep -q 'holds no credentials' "$W/refused.out" || no "credentials in the URL: $(tail -1 "$W/refused.out")"

HONE_ARTIFACTS="s3://builds/ci$place" world_up --no-worker
token=$(cat "$HONE_TOKEN_FILE")
ask() {
  local method=$1 path=$2
  shift 2
  curl -s -o "$W/body" -w '%{http_code}' -X "$method" -H "Authorization: Bearer $token" "$@" "$HONE_URL$path"
}
is() { [ "$2" = "$3" ] || no "$1: $2 instead of $3: $(head -c 600 "$W/body")"; }
hash_of() { sha256sum < "$1" | cut -d' ' -f1; }
put_file() { ask PUT "/v1/artifacts/$(hash_of "$1")" -H 'Content-Type: application/octet-stream' -T "$1"; }
: > "$W/empty"
head -c 70000 /dev/urandom > "$W/small"
head -c 100000000 /dev/urandom > "$W/large"  # above 64 MiB: in parts
for file in empty small large; do
  is "an upload ($file)" "$(put_file "$W/$file")" 201
  is "the same again ($file)" "$(put_file "$W/$file")" 200
  is "reading it ($file)" "$(ask GET "/v1/artifacts/$(hash_of "$W/$file")")" 200
  cmp -s "$W/body" "$W/$file" || no "$file came back otherwise"
done
is "one that is not there" "$(ask GET "/v1/artifacts/$(printf 'c%.0s' {1..64})")" 404
find "$W/data/artifacts" -type f | grep -q . && no "uploads are left on the disk: $(find "$W/data/artifacts" -type f)"

# A session's program is a file on this machine.
if [ -x "$BIN/hone-session" ]; then
  printf 'define i32 @f(i32 %%a) {\n  %%b = add i32 %%a, 1\n  ret i32 %%b\n}\n' > "$W/f.ll"
  is "a program" "$(put_file "$W/f.ll")" 201
  is "a session" "$(ask POST /v1/sessions -H 'Content-Type: application/json' -d '{"program": "'"$(hash_of "$W/f.ll")"'"}')" 201
fi

# A product's source, as a worker would fetch it: by the client.
mkdir "$W/product"
head -c 20000000 /dev/urandom > "$W/product/data.bin"
printf 'name: small\nbuild:\n  commands: [["true"]]\n  binaries: [p]\nbenchmark:\n  command: ["{build}/p"]\n' > "$W/product/hone.yaml"
"$BIN/hone" target add "$W/product" > "$W/add.out" 2>&1 || no "hone target add: $(cat "$W/add.out")"

# A week later all but the product's source is collected.
psql() { /usr/lib/postgresql/15/bin/psql -qtA -h "$W/data/postgres/run" -U hone hone "$@"; }
psql -c "UPDATE artifacts SET used_at = used_at - interval '8 days'" || no "no database"
"$BIN/hone" artifact gc --dry-run > "$W/gc.out" 2>&1 || no "hone artifact gc --dry-run: $(cat "$W/gc.out")"
grep -q 'There are [34] artifacts' "$W/gc.out" || no "hone artifact gc --dry-run: $(cat "$W/gc.out")"
"$BIN/hone" artifact gc > "$W/gc.out" 2>&1 || no "hone artifact gc: $(cat "$W/gc.out")"
grep -q 'Removed [34] artifacts' "$W/gc.out" || no "hone artifact gc: $(cat "$W/gc.out")"
is "one that was collected" "$(ask GET "/v1/artifacts/$(hash_of "$W/small")")" 404
left=$(psql -c 'SELECT count(*) FROM artifacts')
[ "$left" = 1 ] || no "$left artifacts are left"
objects=$(AWS_ACCESS_KEY_ID=$id AWS_SECRET_ACCESS_KEY=$secret "$venv/bin/python" -c '
import sys, boto3
s3 = boto3.client("s3", endpoint_url=sys.argv[1], region_name="us-east-1")
print(s3.list_objects_v2(Bucket="builds").get("KeyCount"))' "$endpoint")
[ "$objects" = 2 ] || no "$objects objects are in the bucket, not the artifact that is left and the mark of the deployment"
is "the same upload after its collection" "$(put_file "$W/small")" 201

# A service that is gone: everything else goes on.
kill -9 $moto
is "an artifact without its place" "$(ask GET "/v1/artifacts/$(hash_of "$W/small")")" 503
is "everything else" "$(ask GET /v1/targets)" 200
grep -qF "$secret" "$W/up.out" && no "a secret is in the log"
world_down
finish
