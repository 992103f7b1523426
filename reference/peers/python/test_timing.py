"""The timing loop, on a clock that only operations advance."""

import types

import nsop_timing
import pytest


class Clock:
    """Stands in for the time module; an operation takes `op_ns`, of which it works a share."""

    def __init__(self, op_ns, busy=1.0):
        self.now = self.cpu = self.runs = 0
        self.op_ns, self.busy = op_ns, busy

    def run(self):
        self.runs += 1
        self.now += self.op_ns
        self.cpu += int(self.op_ns * self.busy)

    def monotonic_ns(self):
        return self.now

    def process_time_ns(self):
        return self.cpu

    thread_time_ns = process_time_ns


@pytest.fixture
def clock(monkeypatch):
    def install(*arguments):
        made = Clock(*arguments)
        monkeypatch.setattr(nsop_timing, "time", made)
        return made

    return install


def test_a_repetition_lasts_as_long_as_asked(clock):
    fast = clock(1000)
    repetitions = nsop_timing.measure(fast.run, nsop_timing.Options())
    assert len(repetitions) == 10
    assert {r["iterations"] for r in repetitions} == {2200}
    assert all(r["wall_ns"] == r["thread_cpu_ns"] == 2_200_000 for r in repetitions)
    assert fast.runs * 1000 >= 10 * 2_200_000 + 8_000_000, "warm-up by CPU time comes first"


def test_a_slow_operation_that_has_warmed_up_is_not_run_again(clock):
    slow = clock(3_000_000)
    options = nsop_timing.Options(warmup_ns=0, slow_repetitions=1)
    assert nsop_timing.choose(slow.run, options, known_ns=3_000_000) == (1, 1)
    assert slow.runs == 0


def test_a_slow_operation_is_run_once_per_repetition(clock):
    slow = clock(3_000_000)
    repetitions = nsop_timing.measure(slow.run, nsop_timing.Options())
    assert [r["iterations"] for r in repetitions] == [1, 1, 1]
    assert slow.runs == 4, "at most one operation warms up"


def test_one_preempted_operation_makes_no_step_slow(clock):
    fast = clock(1000)
    fast.op_ns = 5_000_000
    known = 1000

    def run():
        fast.run()
        fast.op_ns = 1000

    assert nsop_timing.choose(run, nsop_timing.Options(), known) == (2200, 10)


def test_an_operation_that_waits_is_slow(clock):
    waits = clock(4_000_000, 0.01)
    assert nsop_timing.choose(waits.run, nsop_timing.Options()) == (1, 3)


def test_counters_are_differences(monkeypatch):
    usages = iter([(5, 100, 1), (7, 103, 1)])

    def usage(_):
        switches, minor, major = next(usages)
        return types.SimpleNamespace(ru_nivcsw=switches, ru_minflt=minor, ru_majflt=major)

    monkeypatch.setattr(nsop_timing.resource, "getrusage", usage)
    repetition = nsop_timing._repetition(lambda: None, 1)
    assert repetition["involuntary_switches"] == 2
    assert (repetition["minor_faults"], repetition["major_faults"]) == (3, 0)


def test_what_is_charged_between_two_readings_is_not_another_threads_work(monkeypatch):
    charged = iter(range(0, 10_000_000, 50_000))
    for clock in ("process_time_ns", "thread_time_ns"):
        monkeypatch.setattr(nsop_timing.time, clock, lambda: next(charged))
    repetition = nsop_timing._repetition(lambda: None, 1)
    assert 0 < repetition["process_cpu_ns"] <= repetition["thread_cpu_ns"]


def test_phases_divide_the_time_from_their_start(monkeypatch):
    now = iter([5, 10, 13, 20, 21, 50, 51])
    monkeypatch.setattr(nsop_timing.time, "monotonic_ns", lambda: next(now))
    phases = nsop_timing.Phases()
    phases.start()  # at 10
    phases.end("play")
    phases.end("train")
    phases.end("play")
    assert phases.metrics() == {"phase_play_ns": 4, "phase_train_ns": 7}
    phases.start()
    phases.end("play")
    assert phases.metrics() == {"phase_play_ns": 1}
