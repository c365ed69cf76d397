#!/usr/bin/env python3
"""Runs the shell steps of a pipeline file as its system would: ci_steps.py SYSTEM FILE WORKSPACE OUT

SYSTEM is github, gitlab or jenkins. Variables that the system's owner sets (HONE_URL, HONE_TARGET) come
from the environment, the secret token from the file CI_TOKEN_FILE. What the steps print goes to OUT/log,
a GitHub summary to OUT/summary. Exit code: that of the step that failed, else 0.
"""

import os
import pathlib
import re
import subprocess
import sys


def run(shell, script, environment, workspace, log):
    file = workspace.parent / "step.sh"
    file.write_text(script)
    log.write(f"--- {shell}\n{script}\n".encode())
    log.flush()
    return subprocess.run([*shell, file], cwd=workspace, env=environment, stdout=log, stderr=log).returncode


def github(text, workspace, out, environment, log):
    import yaml

    pipeline = yaml.safe_load(text)
    temporary = out / "runner"
    temporary.mkdir()
    shared = temporary / "env"
    shared.touch()
    environment |= {
        "GITHUB_ENV": str(shared),
        "GITHUB_SHA": "0" * 40,
        "GITHUB_STEP_SUMMARY": str(out / "summary"),
        "GITHUB_WORKSPACE": str(workspace),
        "RUNNER_TEMP": str(temporary),
    }
    known = {"github.workspace": str(workspace), "secrets.HONE_TOKEN": token()}
    known |= {f"vars.{name}": environment.pop(name) for name in ("HONE_URL", "HONE_TARGET")}

    def filled(variables):
        return {
            name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: known[found[1]], value)
            for name, value in (variables or {}).items()
        }

    environment |= filled(pipeline["env"])
    ended = 0
    for job in pipeline["jobs"].values():
        for step in job["steps"]:
            if "run" not in step or (ended != 0 and step.get("if") != "always()"):
                continue
            added = dict(line.split("=", 1) for line in shared.read_text().splitlines())
            code = run(["bash", "-e"], step["run"], environment | added | filled(step.get("env")), workspace, log)
            ended = ended or code
    left = [file.name for file in temporary.iterdir() if file != shared]
    assert not left, f"left in the runner's folder: {left}"
    return ended


def gitlab(text, workspace, out, environment, log):
    import yaml

    job = yaml.safe_load(text)["hone"]
    environment |= {
        "CI_COMMIT_SHA": "0" * 40,
        "CI_PROJECT_DIR": str(workspace),
        "HONE_TOKEN_FILE": os.environ["CI_TOKEN_FILE"],
    }
    for name, value in job["variables"].items():
        environment[name] = value.replace("$CI_PROJECT_DIR", str(workspace))
    lines = job["before_script"] + job["script"]
    assert all(isinstance(line, str) for line in lines), lines
    ended = run(["bash", "-eo", "pipefail"], "\n".join(lines) + "\n", environment, workspace, log)
    reports(workspace, [job["artifacts"]["reports"]["junit"], *job["artifacts"]["paths"]])
    return ended


def jenkins(text, workspace, out, environment, log):
    environment |= {"GIT_COMMIT": "0" * 40, "WORKSPACE": str(workspace)}
    block = re.search(r"environment \{(.*?)\n  \}", text, re.S)[1]
    for name, value in re.findall(r"(\w+) = (.+)", block):
        secret = re.fullmatch(r"credentials\('hone-token'\)", value)
        environment[name] = (
            os.environ["CI_TOKEN_FILE"] if secret else value.strip('"').replace("${WORKSPACE}", str(workspace))
        )
    steps = re.findall(r"\bsh '''\n(.*?)'''", text, re.S)
    assert len(steps) == len(re.findall(r"\bsh ", text)), "a step that this does not understand"
    for step in steps:
        ended = run(["sh", "-xe"], step.replace("\\\\", "\\"), environment, workspace, log)
        if ended != 0:
            break
    named = re.findall(r"(?:junit testResults|archiveArtifacts artifacts): '([^']+)'", text)
    assert len(named) == len(re.findall(r"allowEmpty(?:Results|Archive): true", text)) == 2, named
    reports(workspace, named)
    return ended


def reports(workspace, names):
    # A pipeline that measured nothing has none, and its system is told to put up with it.
    made = [name for name in names if (workspace / name).is_file() and (workspace / name).stat().st_size > 0]
    assert names and made in ([], names), f"not made: {set(names) - set(made)}"


def token():
    return pathlib.Path(os.environ["CI_TOKEN_FILE"]).read_text().strip()


def main():
    system, file, workspace, out = sys.argv[1:]
    kept = ("PATH", "HOME", "LANG", "HONE_URL", "HONE_TARGET", "BREAK", "BREAK_WITH")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    out = pathlib.Path(out)
    with open(out / "log", "wb") as log:
        ended = {"github": github, "gitlab": gitlab, "jenkins": jenkins}[system](
            pathlib.Path(file).read_text(), pathlib.Path(workspace), out, environment, log
        )
    assert token() not in (out / "log").read_text(), "the token was printed"
    return ended


if __name__ == "__main__":
    sys.exit(main())
