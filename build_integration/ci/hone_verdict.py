#!/usr/bin/env python3
"""The verdict of a job for a pipeline's page: hone_verdict.py --markdown|--junit FILE

FILE is what `hone job submit --wait --json` (or `hone job show --json`) printed. Markdown is one table;
JUnit one test case, which fails if nothing could be measured: having no gain is no failure. Exit code 0,
or 2 for a FILE that is not such a document.
"""

import argparse
import json
import math
import re
import sys
from xml.sax.saxutils import escape, quoteattr


def percent(log_ratio):
    return f"{100 * math.expm1(log_ratio):+.1f} %"


def summary(job):
    """The verdict in a few words, such as "faster: +2.8 % [+0.3 %, +5.7 %] on 32 pairs"."""
    if job.get("outcome") != "ok":
        return f"{job.get('outcome') or job['state']}: {first_line(job.get('reason'))}"
    reward = job.get("reward")
    if reward is None:
        return f"{job['verdict']}: {first_line(job.get('reason')) or 'no reward'}"
    interval = f"[{percent(reward['low'])}, {percent(reward['high'])}]"
    return f"{job['verdict']}: {percent(reward['value'])} {interval} on {reward['pairs']} pairs"


def first_line(text):
    return (text or "").strip().split("\n")[0]


def markdown(job):
    text = summary(job).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "\\`")
    return (
        "| Target | Against | Stage | Verdict | Job |\n"
        "| --- | --- | --- | --- | --- |\n"
        f"| {job['target']} | {job['baseline']} | {job['stage']} | {text} | {job['id']} |\n"
    )


def junit(job):
    failed = job.get("outcome") != "ok"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="hone" tests="1" failures="{int(failed)}">',
        f"  <testcase classname={quoteattr('hone.' + job['target'])} name=\"policy in force\">",
    ]
    if failed:
        lines.append(f"    <failure message={quoteattr(summary(job))}>{escape(job.get('reason') or '')}</failure>")
    lines += [f"    <system-out>{escape(summary(job))}</system-out>", "  </testcase>", "</testsuite>"]
    # What XML 1.0 cannot hold: a compiler's message may have colours in it.
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", "\n".join(lines)) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    form = parser.add_mutually_exclusive_group(required=True)
    form.add_argument("--markdown", action="store_const", dest="form", const=markdown)
    form.add_argument("--junit", action="store_const", dest="form", const=junit)
    parser.add_argument("file")
    arguments = parser.parse_args()
    try:
        with open(arguments.file, encoding="utf-8") as file:
            sys.stdout.write(arguments.form(json.load(file)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"hone_verdict: {arguments.file} holds no job: {error!r}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
