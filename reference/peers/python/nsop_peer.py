"""The worker protocol (docs/protocol.md) for libraries of Python: what a peer is measured with.

A worker subclasses Library and calls main(). Times are taken as the C++ engine takes them: warm-up
by CPU time, then a fixed number of iterations so that a repetition lasts min_time_ns, clocks read
in mirrored order, the garbage collector switched off.
"""

import gc
import hashlib
import os
import platform
import subprocess
import sys
from pathlib import Path

import nsop_server
import numpy as np
from nsop_row import ALIGNMENT

FOLDER = Path(__file__).resolve().parent


class Library:
    """What differs between libraries."""

    name = ""  # of the library and of its variant
    version = ""
    summary = ""  # of every variant, one sentence
    details = ""  # what else the build of the library is known by
    isa = ""  # the instruction set that it runs on, in its own words
    types = ("f32",)  # values of an op's key `type` that it can do

    def targets(self):
        """Its version; in a process that is held to an instruction set, `1.24.2-AVX2` if the
        library runs on that, else none."""
        held = os.environ.get("NSOP_PEER_ISA")
        if not held:
            return [self.version]
        return [f"{self.version}-{held}"] if self.isa == held else []

    def ops(self):
        """Names of the ops that the library has."""
        raise NotImplementedError

    def prepare(self, case, inputs, outputs, threads):
        """A Step over these float32 arrays, which stay where they are. May raise Unsupported."""
        raise NotImplementedError

    def build(self):
        """What the C++ workers say of their build, for a script and the library that it runs."""
        return build_info(self)


def build_info(library):
    """See Library.build."""
    commit, dirty = _commit()
    flags = [f"{library.name} {library.version}", library.details, f"numpy {np.__version__}"]
    tunables = os.environ.get("GLIBC_TUNABLES")
    flags.append(f"GLIBC_TUNABLES={tunables}" if tunables else "")
    return {
        "commit": commit,
        "dirty": dirty,
        "compiler": f"{platform.python_implementation()} {platform.python_version()}, "
        f"{platform.python_compiler()}",
        "flags": "; ".join(dict.fromkeys(flag for flag in flags if flag)),
        "build_type": "Release",
        "libc": " ".join(platform.libc_ver()),
        "engine": f"nsop_peer.py, tensors at multiples of {ALIGNMENT} bytes",
        "link_seed": "",
        "binary_sha256": _sources_sha256(),
        "reference_sha256": "",
    }


def _sources_sha256():
    digest = hashlib.sha256()
    for path in sorted(FOLDER.rglob("*.py")):
        if not path.name.startswith("test_"):
            name = path.relative_to(FOLDER).as_posix()
            digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _commit():
    def git(*arguments):
        command = ["git", "--no-optional-locks", "-C", str(FOLDER), *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    try:
        if not git("ls-files", "nsop_peer.py"):  # a copy inside some other repository
            return "unknown", False
        return git("rev-parse", "--verify", "HEAD") or "unknown", bool(
            git("status", "--porcelain", "--", ".")
        )
    except OSError:
        return "unknown", False


def main(library):
    """Serves requests as `--pipes IN,OUT` says; the exit status of the worker."""
    if len(sys.argv) != 3 or sys.argv[1] != "--pipes":
        print(f"usage: {sys.argv[0]} --pipes IN,OUT (nsop starts it)", file=sys.stderr)
        return 2
    requests, answers = map(int, sys.argv[2].split(","))
    # What was imported lives for ever, and cycles are looked for between rows only.
    gc.collect()
    gc.freeze()
    gc.disable()
    return nsop_server.serve(nsop_server.Server(library), requests, answers)
