#!/usr/bin/env bash
# What pipelines are shown: the golden reports of the unit tests, and what `hone report --from` prints, read
# by real parsers. Without network or packages of the section [deploy] a part is left out, and says so.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
hone=${HONE_BIN:-$here/build/dev/bin}/hone
golden=$here/tests/unit/build_integration/cli/golden
[ -x "$hone" ] || { echo "SKIP: no $hone"; exit 77; }
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
wrong=0
no() { printf 'WRONG: %s\n' "$*"; wrong=$((wrong + 1)); }

"$hone" report --from "$golden/job.json" --format junit > "$W/job.xml" || no "junit of a job: exit code $?"
cmp -s "$W/job.xml" "$golden/job.xml" || no "not what the unit test has: $(cat "$W/job.xml")"
"$hone" report --from "$golden/job.json" --format markdown > "$W/job.md" || no "markdown of a job: exit code $?"
"$hone" report --from "$golden/job.json" --json > "$W/job.json" && python3 - "$golden/job.json" "$W/job.json" <<'PYTHON' || no "json of a job is another"
import json, sys
was, now = (json.load(open(file)) for file in sys.argv[1:])
sys.exit(any(now.get(key) != value for key, value in was.items() if key != "result"))
PYTHON
"$hone" report --from "$golden/job.json" | grep -q 'miscompiled' || no "text of a job"
refused() { # WORDS ARGUMENTS...: bad input, which says why
  local words=$1
  shift
  "$hone" report "$@" > "$W/out" 2>&1
  [ $? = 2 ] && grep -qF -- "$words" "$W/out" || no "$*: $(cat "$W/out")"
}
refused 'two formats' --from "$golden/job.json" --json --format junit
: > "$W/empty.json"
refused 'is empty, there is no job in it' --from "$W/empty.json" --format junit
refused 'is no job' --from "$golden/campaign.xml"
refused 'goes without' --verify --format junit
refused '{text,markdown,junit,json}' --format html

python3 - "$golden/campaign.xml" "$W/job.xml" <<'PYTHON' || wrong=$((wrong + 1))
import sys, xml.etree.ElementTree as tree
bad = []
for file in sys.argv[1:]:
    suites = tree.parse(file).getroot()
    suite = suites.find("testsuite")
    cases = suite.findall("testcase")
    for element in (suites, suite):
        for attribute, found in (("tests", cases), ("failures", [c for c in cases if c.find("failure") is not None]),
                                 ("errors", [c for c in cases if c.find("error") is not None])):
            if int(element.get(attribute)) != len(found):
                bad.append(f"{file}: {element.tag} says {attribute}={element.get(attribute)}, there are {len(found)}")
    if len(cases) != len({(c.get("classname"), c.get("name")) for c in cases}):
        bad.append(f"{file}: two cases of one name")
    nasty = [c.find("failure").text for c in cases if c.find("failure") is not None and "|x|" in (c.find("failure").text or "")]
    if "campaign" in file and not any("<b>|x|</b> & \"y\" `z` @team" in text and "]]>" in text for text in nasty):
        bad.append(f"{file}: a reason lost its characters: {nasty}")
for line in bad:
    print("WRONG:", line)
sys.exit(1 if bad else 0)
PYTHON

# The schema that Jenkins and pytest go by is in pytest's sources on PyPI.
if command -v xmllint > /dev/null; then
  if (cd "$W" && timeout 120 python3 -m pip download -q --disable-pip-version-check --no-deps --no-binary :all: \
    pytest==8.3.4 && tar xzf pytest-8.3.4.tar.gz) > "$W/pip" 2>&1; then
    schema=$W/pytest-8.3.4/testing/example_scripts/junit-10.xsd
    xmllint --noout --schema "$schema" "$golden/campaign.xml" "$W/job.xml" > "$W/lint" 2>&1 || no "$(cat "$W/lint")"
    sed 's/<testcase /<testcase colour="red" /' "$W/job.xml" > "$W/bad.xml"
    ! xmllint --noout --schema "$schema" "$W/bad.xml" 2> /dev/null || no "the schema takes everything"
    echo "junit-10.xsd: valid"
  else
    echo "SKIPPED: junit-10.xsd is not to be had: $(tail -n 1 "$W/pip")"
  fi
else
  echo "SKIPPED: no xmllint (libxml2-utils)"
fi

# GitHub's own reader of Markdown: what measurements say makes one table and nothing else.
if command -v cmark-gfm > /dev/null; then
  for file in "$golden/campaign.md" "$W/job.md"; do
    cmark-gfm --unsafe -e table -e autolink -e strikethrough "$file" > "$W/html"
    [ "$(grep -c '<table>' "$W/html")" = 1 ] || no "$file: not one table: $(cat "$W/html")"
    ! grep -qE '<(a|img|b|code|del|em) ?' "$W/html" || no "$file: a message makes mark-up: $(cat "$W/html")"
    rows=$(grep -c '^<tr>$' "$W/html")
    cells=$(grep -cE '^<t[dh][ >]' "$W/html")
    [ "$cells" = $((rows * 6)) ] || no "$file: $cells cells in $rows rows of six"
  done
  grep -qF '&lt;b&gt;|x|&lt;/b&gt; &amp; &quot;y&quot; `z` @team #7 https://a.example/' <(cmark-gfm --unsafe -e table -e autolink "$golden/campaign.md") ||
    no "a message lost its characters"
  echo "cmark-gfm: one table each"
else
  echo "SKIPPED: no cmark-gfm"
fi
[ $wrong = 0 ]
