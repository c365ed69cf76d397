"""names.py ROOT BIN: whether what README, the pages beside it and deploy/ name is there: files of the tree, variables
of the environment, options of our programs, settings, events of the log and routes of the API."""
import collections
import json
import pathlib
import re
import shlex
import subprocess
import sys

root, binaries = map(pathlib.Path, sys.argv[1:])
bad = []
checked = collections.Counter()


def listed(*patterns):
    out = subprocess.run(["git", "-C", root, "ls-files", "--", *patterns], capture_output=True, text=True, check=True)
    return [name for name in out.stdout.splitlines() if (root / name).is_file()]


def read(name):
    return (root / name).read_text(encoding="utf-8", errors="replace")


def say(kind, truth, what):
    checked[kind] += 1
    if not truth:
        bad.append(what)


pages = listed("*.md")
shipped = [name for name in listed("deploy") if not name.endswith((".png", ".json"))]

# --- Files. A module may be named without its ending, as server/http/connection is.
FOLDERS = "build_integration|cmake_modules|common|deploy|docs|engine|server|staging|tests|worker"
for name in pages:
    text = re.sub(r"```(?:yaml|python)\n.*?```", "", read(name), flags=re.S)  # of the reader's own tree
    for path in set(re.findall(rf"(?<![\w./${{}}<-])(?:{FOLDERS})/[\w./+-]*\w", text)):
        say("files", (root / path).exists() or any(root.glob(path + "*")), f"{name}: no {path}")

# --- Variables. Those of settings are made of their names, and the page of all settings is compared with the programs
# by a test of its own.
VARIABLE = r"\bHONED?_[A-Z0-9_]+\b"
sources = listed("*.cc", "*.h", "*.in", "*.sh", "*.py", "*.cmake", "CMakeLists.txt", "*.bzl", "deploy/slurm/*")
known = {found for name in sources for found in re.findall(VARIABLE, read(name))}
known |= set(re.findall(VARIABLE, read("docs/configuration.md")))
for name in set(pages + shipped) - set(sources) - {"docs/configuration.md"}:
    for variable in set(re.findall(VARIABLE, read(name))):
        say("variables", variable in known, f"{name}: nobody reads {variable}")

# --- Options.
helps = {}


def help_of(*words):
    """What a program or command tells of itself; empty where it is none."""
    if words not in helps:
        program = root / "deploy/slurm" / words[0] if words[0] == "hone-slurm-scale" else binaries / words[0]
        done = subprocess.run([program, *words[1:], "--help"], capture_output=True, text=True, timeout=60)
        helps[words] = done.stdout if done.returncode == 0 else ""
    return helps[words]


def words_of(command):
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def check_command(name, program, rest):
    words, told = words_of(rest), [help_of(program)]
    if program == "hone-slurm-scale" and "--" in words:
        check_command(name, "hone-worker", shlex.join(words[words.index("--") + 1:]))
    if "--" in words:
        words = words[:words.index("--")]
    commands = [program]
    while program in ("hone", "honed", "hone-learner") and words and re.fullmatch(r"[a-z][a-z-]+", words[0]):
        if not help_of(*commands, words[0]) or help_of(*commands, words[0]) == told[-1]:
            break
        commands.append(words.pop(0))
        told.append(help_of(*commands))
    for before, word in zip([""] + words, words):
        option = before != "--sbatch" and re.match(r"\[*(--[a-z][a-z0-9-]*)", word)
        if option:
            say("options", any(re.search(rf"(?<![\w-]){option[1]}(?![\w-])", text) for text in told),
                f"{name}: {' '.join(commands)} has no {option[1]}")


# Not `kubectl -n hone`.
COMMAND = re.compile(r"(?<![\w/.$-])(?<!-n )(?:/usr/bin/)?(honed|hone-worker|hone-learner|hone-slurm-scale|hone) +"
                     r"([^|;&#\n]*)")


def commands_in(name):
    text = read(name).replace("\\|", "¦")
    if name.endswith(".md"):
        fences = re.findall(r"```\w*\n(.*?)```", text, flags=re.S)
        inline = re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.S))
        text = "\n".join(fences + [" ".join(code.split()) for code in inline])
    for program, rest in COMMAND.findall(text.replace("\\\n", " ")):
        if "--" in rest:
            yield program, rest


for program in ("hone", "honed", "hone-worker", "hone-learner"):
    if not (binaries / program).exists():
        print(f"SKIP: no {binaries / program}")
        sys.exit(77)
for name in pages + listed("deploy/systemd", "deploy/prometheus/*.yml"):
    for program, rest in commands_in(name):
        check_command(name, program, rest)
stage = None
for line in read("deploy/container/Containerfile").splitlines():
    entry = re.fullmatch(r'(ENTRYPOINT|CMD) (\[.*\])', line)
    if entry and entry[1] == "ENTRYPOINT":
        stage = json.loads(entry[2])[0].rsplit("/", 1)[1]
    elif entry:
        check_command("deploy/container/Containerfile", stage, shlex.join(json.loads(entry[2])))

# Those that stand by themselves are somebody's.
scripts = listed("*.sh", "*.py", "*.cc", "*.bzl", "deploy/slurm/*", "build_integration/bazel/*")
anybodys = "\n".join([*helps.values(), *map(read, scripts)])
for name in pages:
    for option in set(re.findall(r"`(--[a-z][\w-]*)", read(name))):
        say("options", re.search(rf"(?<![\w-]){option}(?![\w-])", anybodys), f"{name}: nobody has {option}")

# --- Settings, which are there as comments.
for page, program in (("honed.yaml", "honed"), ("worker.yaml", "hone-worker")):
    for line in read(f"deploy/systemd/{page}").splitlines():
        setting = re.match(r"#([a-z_]+): ", line)
        if setting:
            reference = help_of(program)
            say("settings", f"--{setting[1].replace('_', '-')} " in reference.replace(",", " "),
                f"deploy/systemd/{page}: {program} has no setting {setting[1]}")

# --- Events of the log and routes of the API, in rules and dashboard.
code = "\n".join(read(name) for name in listed("server/*.cc", "common/*.cc"))
routes = json.loads(read("server/api/openapi.json"))["paths"]
for name in ("deploy/prometheus/hone-alerts.yml", "deploy/prometheus/hone-dashboard.json"):
    text = read(name)
    for event in set(re.findall(r'event \\"(\w+)\\"', text)) - {"request"}:
        say("events", f'"{event}"' in code, f"{name}: honed logs no {event}")
    for pattern in set(re.findall(r'route(?:!~|=~|!=|=)\\?"([^"\\]+)', text)):
        for one in pattern.split("|"):
            say("routes", any(re.fullmatch(one.replace("{", "\\{"), route) for route in routes),
                f"{name}: no route is {one}")

for what in ("files", "variables", "options", "settings", "events", "routes"):
    if checked[what] == 0:
        bad.append(f"no {what} were found to check: names.py reads something that is no more")
for line in sorted(bad):
    print("WRONG:", line)
print(f"names: {', '.join(f'{count} {kind}' for kind, count in checked.items())}; {len(bad)} wrong")
sys.exit(1 if bad else 0)
