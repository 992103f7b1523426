"""What the live proof measures, in which order: first what the targets ask for, so that whatever
the time allows is worth reporting."""

from dataclasses import dataclass

OPS = ("relu", "tanh", "sigmoid")  # each is made slower, in a build of its own
SIZES = (1000, 10000, 100000)
ROUNDS = 200  # of a calibration
# Call nothing of OPS: in every gate, and never to be called anything but the same.
OTHERS = (
    "matmul m=64 n=64 k=64 trans=nn",
    "softmax pass=forward n=32x128 axis=1 range=-3:3",
    "gelu pass=forward n=10000 form=tanh range=-3:3",
)
# Only gates of a build against itself.
FURTHER = ("add n=100x100", "sum n=10000 axis=all", "transpose n=100x100")


def rows_of(op):
    return tuple(f"{op} pass=forward n={n} range=-3:3" for n in SIZES)


def is_of(case, op):
    return bool(op) and case.split()[0] == op


NULL_ROWS = (*(row for op in OPS for row in rows_of(op)), *OTHERS, *FURTHER)


@dataclass(frozen=True)
class Job:
    """One gate. `op` is made slower by doing `percent` % of its outputs twice; 0: nothing is."""

    kind: str  # gate, calibration, cost
    op: str = ""
    percent: int = 0
    seed: int = 0

    def head(self):
        """The folder of the head's workers, beside that of the base's."""
        return f"{self.op}-{self.percent}" if self.percent else "again"

    def rows(self):
        if self.kind == "cost":
            return cost_rows()
        if not self.percent:
            return NULL_ROWS
        return rows_of(self.op) if self.kind == "calibration" else (*rows_of(self.op), *OTHERS)

    def key(self):
        return f"{self.kind}/{self.head()}/{self.seed}"


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
    """In order: gates of the first of `percents`, each after one of a build against itself, the
    cost of a suite, what is true of the first; then the others, the truth before the gates."""
    plan = []
    for k, percent in enumerate(percents):
        calibrations = [Job("calibration", op, percent) for op in OPS]
        plan += calibrations if k else []
        for seed in range(1, gates + 1):
            if k == 0:
                plan.append(Job("gate", seed=seed))
            plan.append(Job("gate", OPS[seed % len(OPS)], percent, seed))
        if k == 0:
            plan += [Job("cost"), *calibrations]
    if not percents:
        plan = [Job("gate", seed=seed) for seed in range(1, gates + 1)] + [Job("cost")]
    return plan


def heads(percents):
    """(folder, op, percent) of every build that such a plan needs, the base's apart."""
    return [("again", "", 0), *((f"{op}-{p}", op, p) for p in percents for op in OPS)]
