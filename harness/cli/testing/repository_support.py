"""Small git repositories whose "worker" is nsop-worker with made-up times: the whole machinery of
gates, nightly checks and searches in seconds, with a truth that is known."""

import hashlib
import json
import os
import random
import stat
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BIN = ROOT / os.environ.get("NSOP_BUILD_DIR", "build/dev") / "bin"
RELU = "relu pass=forward n=64 range=-3:3"
TANH = "tanh pass=forward n=64 range=-3:3"

# A suite that a tracking log shows.
LOG_SUITE = f"""[report]
name = "log"
title = "Log"
form = "tracking"
after = "hwy"

[[cases]]
label = "ReLU"
case = "{RELU}"
"""

# Stands between nsop and the real worker: inputs, outputs and checks are real, times come from
# speed.json, +/- 0.2 %, that of the first operation is 50 us. The n-th measurement of a case by a
# commit draws the same number in every run of a test.
WORKER = """#!/usr/bin/python3 -ES
import json, os, random, signal, subprocess, sys
SPEED = json.loads('''@SPEED@''')
got, put = [int(n) for n in sys.argv[sys.argv.index("--pipes") + 1].split(",")]
if SPEED.get("protocol"):
    sys.exit(SPEED["protocol"])
down, up = os.pipe(), os.pipe()
worker = subprocess.Popen(["@BIN@/nsop-worker", "--pipes", f"{down[0]},{up[1]}"],
                          pass_fds=(down[0], up[1]))
os.close(down[0]), os.close(up[1])
requests, answers = os.fdopen(got, "r"), os.fdopen(up[0], "r")
op = case = ""

def drawn(what):
    with open(f"{sys.argv[0]}.{what}", "a+") as draws:
        draws.write(case)
        draws.seek(0)
        return random.Random(f"{what} {case} @NUMBER@ {draws.readlines().count(case)}")

for line in requests:
    ask = json.loads(line)
    if ask["do"] == "load":
        op, case = ask["case"].split()[0], ask["case"] + "\\n"
        if SPEED.get(op) == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if SPEED.get(op) == "hang":
            signal.pause()
        if SPEED.get(op) == "garbage":
            os.write(put, b"[[[no protocol\\n")
            continue
        if SPEED.get(op) == "lacks":
            say = dict(id=ask["id"], ok=False, error=dict(code="unknown_op", message="no such op"))
            os.write(put, (json.dumps(say) + "\\n").encode())
            continue
    if ask["do"] == "measure":
        ask.update(warmup_ns=0, repetitions=1, min_time_ns=1)
    os.write(down[1], (json.dumps(ask) + "\\n").encode())
    say = json.loads(answers.readline())
    if ask["do"] == "hello":
        say["build"].update(commit="@COMMIT@", dirty=SPEED.get("dirty", False),
                            compiler=SPEED.get("compiler", "gcc"), flags="", build_type="test")
    if ask["do"] == "load" and say["ok"]:
        say["step_ns"] = int(50_000 * drawn("first").uniform(0.998, 1.002))
    if ask["do"] == "measure":
        spread = SPEED.get("spread", 0.002)
        noise = drawn("time")
        ns = int(1000 * SPEED.get(op, 1000) * noise.uniform(1 - spread, 1 + spread))
        if "set_clock" in SPEED and SPEED["set_clock"][0] == op:
            with open(os.environ["NSOP_TEST_CLOCK"], "w") as clock:
                clock.write(str(SPEED["set_clock"][1]))
        wall = SPEED.get("wall", ns)
        say["repetitions"] = [dict(iterations=1000, wall_ns=wall, process_cpu_ns=ns,
                                   thread_cpu_ns=ns, involuntary_switches=0, minor_faults=0,
                                   major_faults=0)] * 3
    if ask["do"] == "allocs" and "allocs" in SPEED:
        for count in say["counts"]:
            count["allocs"] += SPEED["allocs"] * count["iterations"]
    os.write(put, (json.dumps(say) + "\\n").encode())
os.close(down[1])
worker.wait()
"""

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
file(READ speed.json SPEED)
string(STRIP "${SPEED}" SPEED)
if(SPEED MATCHES "broken")
  message(FATAL_ERROR "speed.json:1: error: broken on purpose")
endif()
if(SPEED MATCHES "slow_build")
  execute_process(COMMAND sh -c "echo $$ >${CMAKE_BINARY_DIR}/building; exec sleep 300")
endif()
execute_process(COMMAND git rev-parse HEAD OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE
                WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
set(BIN "$ENV{NSOP_TEST_BIN}")
execute_process(COMMAND git rev-list --count HEAD OUTPUT_VARIABLE NUMBER
                OUTPUT_STRIP_TRAILING_WHITESPACE WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
configure_file(worker.in ${CMAKE_BINARY_DIR}/bin/nsop-worker @ONLY FILE_PERMISSIONS
               OWNER_READ OWNER_WRITE OWNER_EXECUTE)
configure_file(${BIN}/libnsop_alloc.so ${CMAKE_BINARY_DIR}/bin/libnsop_alloc.so COPYONLY)
configure_file(speed.json ${CMAKE_BINARY_DIR}/kernels/speed.o COPYONLY)
add_custom_target(nsop-worker)
add_custom_target(nsop_alloc)
"""

PRESETS = """{"version": 6, "configurePresets": [{"name": "release", "generator": "Ninja",
"binaryDir": "${sourceDir}/build/release"}]}"""


def with_times(path, worker, seed, **ns):
    """A program at this path that is the worker with made-up times (ns by op), +/- 0.2 %: inputs,
    outputs and checks are real, and no clock is looked at."""
    text = WORKER.replace('"@BIN@/nsop-worker"', repr(str(worker)))
    text = text.replace("@SPEED@", json.dumps(ns)).replace("@COMMIT@", "unknown")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace("@NUMBER@", str(seed)))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def timed_controls(folder):
    """A worker in the folder whose controls have made-up times: a busy machine voids no session."""
    return with_times(folder / "nsop-worker", BIN / "nsop-worker", 9, relu=1000, matmul=1000)


class SmallRepository:
    """A work tree below `folder`, with a cache, a database and a lock of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.root = folder / "repository"
        self.history = folder / "history"
        self.noise = random.Random(1)  # of nights: the same in every run of a test
        self.root.mkdir(parents=True)
        self.environment = dict(
            os.environ,
            XDG_CACHE_HOME=str(folder / "cache"),
            NSOP_LOCK=str(folder / "lock"),
            NSOP_DB=str(folder / "nsop.db"),
            NSOP_TEST_BIN=str(BIN),
            USER="ada",
        )
        for name in ("NSOP_WORKER", "GIT_DIR", "GIT_WORK_TREE"):
            self.environment.pop(name, None)
        for name, text in (
            ("nsop.toml", ""),
            (".gitignore", "/build/\n"),
            ("worker.in", WORKER),
            ("CMakeLists.txt", CMAKE),
            ("CMakePresets.json", PRESETS),
        ):
            (self.root / name).write_text(text)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.email", "ada@example.org")
        self.git("config", "user.name", "ada")

    def git(self, *arguments):
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, subject, **speed):
        """A commit whose worker has these times (ns by op); returns its name."""
        (self.root / "speed.json").write_text(json.dumps(speed) + "\n")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")

    def build(self):
        """The worker of what is checked out."""
        for command in (
            ["cmake", "--preset", "release"],
            ["cmake", "--build", "build/release"],
        ):
            subprocess.run(
                command, cwd=self.root, env=self.environment, check=True, capture_output=True
            )
        return self.root / "build/release/bin/nsop-worker"

    def nsop(self, *arguments, code=0, env=None):
        done = subprocess.run(
            [BIN / "nsop", *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=self.root,
            env=dict(self.environment, **(env or {})),
            timeout=300,
        )
        assert code in (done.returncode, None), f"{arguments}\n{done.stdout}\n{done.stderr}"
        return done

    def start(self, *arguments):
        """nsop, running on."""
        return subprocess.Popen(
            [BIN / "nsop", *map(str, arguments)],
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def check_options(self):
        """What makes a nightly short."""
        short = ("--variant", "hwy", "--rounds", "6", "--layouts", "1", "--budget", "0s")
        return (*short, "--worker", self.build(), "--history", self.history)

    def check(self, *arguments, code=0, cases=(RELU,), **options):
        """A nightly of these cases with the worker of what is checked out."""
        return self.nsop("check", *cases, *self.check_options(), *arguments, code=code, **options)

    def kept_build(self, commit, layouts=1):
        """The folder that the workers of a commit are kept in."""
        words = '${CXX:-c++} --version; ld --version 2>&1; echo "$CXX $CXXFLAGS $LDFLAGS"; '
        words += "dpkg-query -W libhwy-dev libbenchmark-dev 2>/dev/null; true"
        said = subprocess.run(
            ["sh", "-c", words], env=self.environment, capture_output=True, check=True
        )
        toolchain = hashlib.sha256(said.stdout).hexdigest()[:8]
        return self.folder / "cache/nsop/builds" / f"{commit}-{layouts}-{toolchain}"

    def nights(self, commits, day=1, change=None, failed=False, **levels):
        """Writes a night per commit into the history, a day apart, `day` 1 two months ago, like the
        newest one there; `levels` are ns by op, `change` may alter the head of the file, and in
        `failed` nights no row ran."""
        model = [json.loads(line) for line in sorted(self.history.glob("2*"))[-1].open()]
        for i, commit in enumerate(commits):
            started = datetime.now(timezone.utc) - timedelta(days=60 - day - i)
            head = dict(
                model[0],
                run=f"{day + i:08}-made-up",
                started_utc=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
                commit=commit,
            )
            head.update(change or {})
            lines = [head]
            for row in model[1:-1]:
                ns = levels.get(row["case"].split()[0], 1000) * self.noise.uniform(0.998, 1.002)
                lines.append(dict(row, ns=ns, wall_ns=ns))
                if failed:
                    lines[-1].update(status="error", inputs="", ns=0, wall_ns=0, invocations=0)
            text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
            end = {
                "type": "end",
                "n": len(lines) - 1,
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
            }
            name = head["started_utc"].replace("-", "").replace(":", "")
            path = self.history / f"{name}-{head['run'][:8]}.ndjson"
            path.write_text(text + json.dumps(end) + "\n")

    def forget_measurements(self):
        """A machine that was thrown away: only the history folder is left."""
        for path in self.folder.glob("nsop.db*"):
            path.unlink()
        for path in sorted(self.history.glob("2*"))[-1:]:
            path.unlink()
