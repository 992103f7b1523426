"""The workers of the live proof: one commit in several link orders, and made slower by known parts.
Kept by commit, so that measuring builds nothing."""

import os
import shutil
import subprocess
from pathlib import Path

from . import files


class NotBuilt(Exception):
    """There is nothing to measure; the text says what to do."""


def git(*arguments):
    done = subprocess.run(["git", "-C", files.ROOT, *arguments], stdout=subprocess.PIPE, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit():
    """The commit that the working tree holds, and nothing else."""
    if git("status", "--porcelain", "--untracked-files=no"):
        raise NotBuilt("the working tree differs from its commit: commit first, results name it")
    name = git("rev-parse", "--short=12", "HEAD")
    if not name:
        raise NotBuilt("no git commit: results must name what was measured")
    return name


def link(tree, out, slow, seeds):
    """A folder of workers, one per link seed, whole or not at all."""
    if out.exists():
        return
    incoming = out.with_name(out.name + ".incoming")
    shutil.rmtree(incoming, ignore_errors=True)
    incoming.mkdir(parents=True)
    for number, seed in enumerate(seeds):
        options = [f"-DNSOP_SLOW_KERNEL={slow}", f"-DNSOP_LINK_SEED={seed or ''}"]
        options += ["--preset", "release", "-DNSOP_TESTS=OFF"]
        targets = ["--target", "nsop-worker", "nsop_alloc"]
        jobs = os.environ.get("JOBS") or str(os.cpu_count())
        for command in (
            ["cmake", "-S", files.ROOT, "-B", tree, *options],
            ["cmake", "--build", tree, *targets, "--parallel", jobs],
        ):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=files.ROOT)
        shutil.copy2(tree / "bin/nsop-worker", incoming / f"worker-{number}")
    shutil.copy2(tree / "bin/libnsop_alloc.so", incoming / "libnsop_alloc.so")
    incoming.rename(out)


def build(folder, heads, layouts, note):
    """Builds what is missing of the working tree's commit into folder/COMMIT; that folder. Each
    comes in `layouts` link orders for either session of a gate.

    The base has the link seeds 0, 1, ...; a slower head has the same, as a gate of two revisions
    would; `again` is the base's source with seeds of its own: nothing but the layout differs.
    """
    folder = Path(folder).absolute()
    into = folder / commit()
    orders = 2 * layouts if layouts > 1 else 1
    tree = folder.with_name(folder.name + "-tree")  # as deep as other builds: compilers' caches hit
    for name, slow in [("base", ""), *heads]:
        if not (into / name).exists():
            note(f"building {into / name}")
        first = orders if name == "again" else 0
        link(tree, into / name, slow, range(first, first + orders))
    return into


def built(folder, name):
    """The builds of a commit, or of the one that was built last."""
    folder = Path(folder)
    if name:
        if not (folder / name / "base").is_dir():
            raise NotBuilt(f"{folder / name}: no builds there; run: make judge-live-build")
        return folder / name
    found = [path.parent for path in folder.glob("*/base")]
    if not found:
        raise NotBuilt(f"{folder}: no builds there; run: make judge-live-build")
    return max(found, key=lambda path: path.stat().st_mtime)
