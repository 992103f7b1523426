"""Programs of other projects for tests: one that has the flags of Google Benchmark and made-up
times, +/- 0.2 %, so that the truth is known and no clock is looked at."""

import stat

# Times in ns by benchmark are in TIMES. The n-th process of a benchmark draws the same number in
# every run of a test.
GBENCH = """#!/usr/bin/python3 -ES
import json, os, random, signal, sys
TIMES = @TIMES@
flags = dict(a[2:].split("=", 1) for a in sys.argv[1:])
if "benchmark_list_tests" in flags:
    print("\\n".join(TIMES.get("list", [n for n in TIMES])))
    sys.exit()
name = flags["benchmark_filter"][1:-1].replace("\\\\", "")
time = TIMES.get(name)
if time == "crash":
    os.kill(os.getpid(), signal.SIGKILL)
if time == "rubbish":
    open(flags["benchmark_out"], "w").write("[[[")
    sys.exit()
if time is None:
    sys.exit(0)
with open(sys.argv[0] + ".draws", "a+") as draws:
    draws.write(name + "\\n")
    draws.seek(0)
    noise = random.Random(f"{name} @SEED@ {draws.read().splitlines().count(name)}")
ns = time * noise.uniform(0.998, 1.002)
row = dict(name=name, run_name=name, run_type="iteration", iterations=100000, threads=1,
           real_time=ns, cpu_time=ns, time_unit="ns")
rows = [dict(row, repetition_index=i) for i in range(int(flags["benchmark_repetitions"]))]
json.dump(dict(context=dict(num_cpus=1), benchmarks=rows), open(flags["benchmark_out"], "w"))
"""


def gbench_program(path, times, seed=1):
    """A program at this path with these benchmarks: {name: ns}, `crash` or `rubbish` for one that
    does that, and `list` for what it lists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(GBENCH.replace("@TIMES@", repr(times)).replace("@SEED@", str(seed)))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path
