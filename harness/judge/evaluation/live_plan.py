"""What the live proof measures, in which order: first what the targets ask for, so that whatever
the time allows is worth reporting."""

from dataclasses import dataclass

# Each is made slower, in a build of its own. Doing a part of a relu twice costs nearly nothing:
# what it reads and writes is in the cache by then.
OPS = ("tanh", "sigmoid")
SIZE = 10000  # 1,000 are so few that the second call alone is several per cent
SIZES = (1000, 10000, 100000)
ROUNDS = 200  # of a calibration
# Call nothing of OPS: in every gate, and never to be called anything but the same. Quieter than the
# slowed rows, so that they are decided early and the budget's rounds go to these.
OTHERS = ("matmul m=64 n=64 k=64 trans=nn", "add n=100x100")
# Only gates of a build against itself.
FURTHER = (
    "softmax pass=forward n=32x128 axis=1 range=-3:3",
    "gelu pass=forward n=10000 form=tanh range=-3:3",
    "sum n=10000 axis=all",
    "transpose n=100x100",
)


def rows_of(op, sizes=(SIZE,)):
    return tuple(f"{op} pass=forward n={n} range=-3:3" for n in sizes)


def is_of(case, op):
    return bool(op) and case.split()[0] == op


# What the fastest repetition can't see, as NSOP_SLOW_KERNEL says it (kernels/CMakeLists.txt): the
# slower part of the time, of the processes, or of a process.
DISTRIBUTIONS = {
    "tanh:20:slices:70": "a fifth more work in 70 % of the time slices",
    "tanh:100:slices:50": "twice the work in half of the time slices",
    "tanh:400:slices:10": "five times the work in a tenth of the time slices",
    "tanh:20:processes:50": "a fifth more work in half of the processes",
    "tanh:100:first:20": "twice the work in the first 20 operations of a process",
    "tanh:10:threads:2": "a tenth of the work again on one of two threads",
}
DISTRIBUTION_ROW = rows_of("tanh", (100000,))

NULL_ROWS = (
    *(row for op in ("relu", *OPS) for row in rows_of(op, SIZES)),
    *OTHERS,
    *FURTHER,
)


@dataclass(frozen=True)
class Job:
    """One gate. `op` is made slower by doing `percent` % of its outputs twice; 0: nothing is; or
    as `slow` says."""

    kind: str  # gate, calibration, cost, distribution
    op: str = ""
    percent: int = 0
    seed: int = 0
    slow: str = ""

    def head(self):
        """The folder of the head's workers; the folder of the base lies beside it."""
        if self.slow:
            return folder_of(self.slow)
        return f"{self.op}-{self.percent}" if self.percent else "again"

    def rows(self):
        if self.kind == "distribution":
            return (*DISTRIBUTION_ROW, *OTHERS)
        if self.kind == "cost":
            return cost_rows()
        if not self.percent:
            return NULL_ROWS
        return rows_of(self.op) if self.kind == "calibration" else (*rows_of(self.op), *OTHERS)

    def threads(self):
        """On how many the rows are measured."""
        _, _, when, count = f"{self.slow}:::".split(":")[:4]
        return int(count) if when == "threads" else 1

    def key(self):
        return f"{self.kind}/{self.head()}/{self.seed}"


def folder_of(slow):
    return slow.replace(":", "-")


def cost_rows():
    """72 rows of a build against itself: what deciding a whole suite takes."""
    sizes = (1000, 2000, 4000, 8000, 16000, 32000)
    unary = ("relu", "tanh", "sigmoid", "exp", "sqrt", "sin")
    span = {op: "0.1:3" if op == "sqrt" else "-3:3" for op in unary}
    rows = [f"{op} pass=forward n={n} range={span[op]}" for op in unary for n in sizes]
    rows += [f"{op} n={n}" for op in ("add", "mul") for n in sizes]
    rows += [f"{op} n={n} axis=all" for op in ("sum", "max") for n in sizes]
    rows += [f"matmul m={n} n={n} k={n} trans=nn" for n in (8, 16, 32, 48, 64, 96)]
    rows += [f"softmax pass=forward n={n}x128 axis=1 range=-3:3" for n in (4, 8, 16, 32, 48, 64)]
    return tuple(rows)


def jobs(gates, percents):
    """In order: what is true of the first two of `percents`, their gates by turns, so that whenever
    the time is over both have about as many; the same for the others; gates of a build against
    itself; the cost of a suite."""
    plan = []
    for pair in (percents[:2], *([percent] for percent in percents[2:])):
        plan += [Job("calibration", op, percent) for percent in pair for op in OPS]
        for seed in range(1, gates + 1):
            plan += [Job("gate", OPS[seed % len(OPS)], percent, seed) for percent in pair]
    return [*plan, *(Job("gate", seed=seed) for seed in range(1, gates + 1)), Job("cost")]


def distribution_jobs(gates):
    """Gates of heads that are slower now and then, by turns."""
    return [
        Job("distribution", slow.split(":")[0], seed=seed, slow=slow)
        for seed in range(1, gates + 1)
        for slow in DISTRIBUTIONS
    ]


def heads(percents):
    """(folder, what is slower) of every build that such a plan needs, the base's apart."""
    return [*((f"{op}-{p}", f"{op}:{p}") for p in percents for op in OPS), ("again", "")]


def distribution_heads():
    return [(folder_of(slow), slow) for slow in DISTRIBUTIONS]
