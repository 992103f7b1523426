"""The order in which a worker's objects are linked, and the generated build information."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = [f"kernels/{name}.cpp.o" for name in ("conv", "dense", "matmul", "relu", "sigmoid", "tanh")]


def cmake_script(script, **variables):
    definitions = [f"-D{name}={value}" for name, value in variables.items()]
    subprocess.run(["cmake", *definitions, "-P", ROOT / "tools" / script], check=True)


def permuted(folder, seed):
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / "objects"
    listed.write_text("".join(f"{folder}/{name}\n" for name in NAMES), encoding="utf-8")
    response = folder / "rsp"
    cmake_script("permute_objects.cmake", SEED=seed, BASE=folder, LIST=listed, OUT=response)
    lines = response.read_text(encoding="utf-8").splitlines()
    return [line.strip('"').removeprefix(f"{folder}/") for line in lines]


def test_no_seed_keeps_the_order(tmp_path):
    assert permuted(tmp_path, "") == NAMES


def test_a_seed_permutes_and_means_the_same_order_everywhere(tmp_path):
    first = permuted(tmp_path / "a", "1")
    assert sorted(first) == sorted(NAMES)
    assert permuted(tmp_path / "b", "1") == first


def test_seeds_differ(tmp_path):
    orders = {tuple(permuted(tmp_path, str(seed))) for seed in range(10)}
    assert len(orders) >= 9


def project(folder):
    for name in ("reference", "harness/core"):
        (folder / name).mkdir(parents=True)
    (folder / "reference" / "relu.cpp").write_text("// relu\n", encoding="utf-8")
    (folder / "harness" / "core" / "registry.cpp").write_text("// rows\n", encoding="utf-8")
    return folder


def info(source, out):
    cmake_script("build_info.cmake", SOURCE=source, OUT=out)
    lines = [line.split(" ", 2) for line in out.read_text(encoding="utf-8").splitlines()]
    return {line[1]: line[2].strip('"') for line in lines if line[0] == "#define"}


def git(folder, *arguments):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    done = subprocess.run(
        ["git", "-C", folder, *identity, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_build_info_without_git(tmp_path):
    got = info(project(tmp_path / "p"), tmp_path / "out.h")
    assert got["NSOP_GIT_COMMIT"] == "unknown"
    assert got["NSOP_GIT_DIRTY"] == "false"
    assert len(got["NSOP_REFERENCE_SHA256"]) == 64


def test_build_info_of_a_commit_inside_another_repository(tmp_path):
    git(tmp_path, "init", "-q")
    source = project(tmp_path / "p")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "outer")
    assert info(source, tmp_path / "out.h")["NSOP_GIT_COMMIT"] == "unknown"


def test_build_info_knows_commit_and_changes(tmp_path):
    source = project(tmp_path / "p")
    git(source, "init", "-q")
    git(source, "add", "-A")
    git(source, "commit", "-qm", "first")
    out = tmp_path / "out.h"
    clean = info(source, out)
    assert clean["NSOP_GIT_COMMIT"] == git(source, "rev-parse", "HEAD")
    assert clean["NSOP_GIT_DIRTY"] == "false"

    (source / "notes.md").write_text("no part of a worker\n", encoding="utf-8")
    before = out.stat().st_mtime_ns
    assert info(source, out) == clean
    assert out.stat().st_mtime_ns == before, "an unchanged header must not be written"

    (source / "reference" / "tanh.cpp").write_text("// new\n", encoding="utf-8")
    dirty = info(source, out)
    assert dirty["NSOP_GIT_DIRTY"] == "true"
    assert dirty["NSOP_REFERENCE_SHA256"] != clean["NSOP_REFERENCE_SHA256"]


def test_tests_of_the_reference_are_not_part_of_its_hash(tmp_path):
    source = project(tmp_path / "p")
    before = info(source, tmp_path / "out.h")["NSOP_REFERENCE_SHA256"]
    (source / "reference" / "relu_test.cpp").write_text("// test\n", encoding="utf-8")
    assert info(source, tmp_path / "out.h")["NSOP_REFERENCE_SHA256"] == before
