"""find_package(nsop) as a stranger's project uses it: what is installed is enough, what is wrong is
refused."""

import json
import re
import subprocess

import pytest

from harness.cli.testing.repository_support import ROOT
from harness.library.testing.project_support import (
    CASE,
    STRICT,
    WORKER,
    build,
    call,
    changed,
    configure,
    copy_of,
    edit,
)


def test_each_public_header_compiles_alone_and_needs_no_other(prefix, tmp_path):
    headers = sorted((prefix / "include/nsop").iterdir())
    assert {"library.h", "registry.h", "case.h", "error.h"} <= {path.name for path in headers}
    for path in headers:
        assert '#include "' not in path.read_text()
        source = tmp_path / "one.cpp"
        source.write_text(f"#include <nsop/{path.name}>\n")
        command = ["c++", "-std=c++20", "-fsyntax-only", *STRICT.split(), "-I", prefix / "include"]
        done = subprocess.run([*command, source], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_a_worker_tells_what_it_was_built_from_and_that_its_oracles_are_its_own(boxblur):
    listed = call(boxblur / WORKER, "--list", cwd=boxblur, env=None).stdout
    assert "box_blur: Mean of the 2r+1 elements" in listed
    assert "plain (before)" in listed and "running (ours)" in listed
    said = subprocess.run(
        ["bash", "-c", f'exec {WORKER} --pipes 3,4 3< <(echo \'{{"id":1,"do":"hello"}}\') 4>&1'],
        cwd=boxblur,
        capture_output=True,
        text=True,
    )
    hello = json.loads(said.stdout)
    assert "own_reference" in hello["features"]
    told = hello["build"]
    assert (told["commit"], told["build_type"]) == ("unknown", "Release")
    assert "-Wextra" in told["flags"] and told["reference_sha256"] == ""


def test_a_worker_is_checked_against_its_own_oracle(boxblur, nsop):
    done = nsop("verify", "--worker", boxblur / WORKER, CASE, "box_blur n=2,100 r=0,5", "--json")
    answer = json.loads(done.stdout)
    assert answer["protocol_problems"] == [] and answer["protocol_checks"] > 10
    rows = {(row["case"], row["variant"]): row["status"] for row in answer["rows"]}
    assert len(rows) == 2 * 5 and set(rows.values()) == {"ok"}


@pytest.mark.slow
def test_an_oracle_that_changed_is_asked_again_however_long_it_takes(prefix, nsop, tmp_path):
    include = "#include <nsop/library.h>"
    line = "          const int64_t n = c.integer"
    slow = "          std::this_thread::sleep_for(std::chrono::milliseconds(400));\n" + line
    project = copy_of("library", tmp_path / "slow")
    source = project / "bench/worker.cpp"
    edit(source, include, include + "\n\n#include <chrono>\n#include <thread>")
    edit(source, line, slow)
    assert build(project, prefix).returncode == 0
    nsop("verify", "--worker", project / WORKER, CASE)
    edit(source, "double{in[0].data()[j]}", "2 * double{in[0].data()[j]}")
    assert build(project, prefix).returncode == 0
    refused = nsop("verify", "--worker", project / WORKER, CASE, code=1)
    assert "2 wrong" in refused.stdout


def test_a_worker_is_measured(boxblur, nsop):
    done = nsop("run", "--worker", boxblur / WORKER, CASE, "--rounds", "3", "--json")
    rows = json.loads(done.stdout)["rows"]
    assert {row["variant"] for row in rows} == {"plain", "running"}
    assert all(row["status"] == "ok" for row in rows)


def test_a_wrong_variant_is_refused_and_not_timed(prefix, nsop, tmp_path):
    source = "src/box_blur.cpp"
    project, done = changed(prefix, tmp_path, source, "(sum * scale)", "(sum * scale * 1.001)")
    assert done.returncode == 0, done.stderr
    for verb in (["verify"], ["run", "--rounds", "3"]):
        refused = nsop(*verb, "--worker", project / WORKER, CASE, "--json", code=1)
        rows = {row["variant"]: row for row in json.loads(refused.stdout)["rows"]}
        assert rows["running"]["status"] == "wrong" and rows["plain"]["status"] == "ok"
        assert "expected" in json.dumps(rows["running"])
        assert not rows["running"].get("ns") and not rows["running"].get("ns_per_op")


def test_an_op_without_an_oracle_does_not_compile(prefix, tmp_path):
    source = copy_of("library", tmp_path / "changed") / "bench/worker.cpp"
    text = re.sub(r"    \.oracle =\n.*?\n        },\n", "", source.read_text(), flags=re.DOTALL)
    assert "oracle" not in text.split("using namespace")[1]
    source.write_text(text)
    done = build(tmp_path / "changed", prefix)
    assert done.returncode != 0
    assert "needs::Oracle" in done.stdout + done.stderr


def test_what_is_registered_twice_is_named_with_both_files(prefix, tmp_path):
    project = copy_of("library", tmp_path / "twice")
    (project / "bench/again.cpp").write_text((project / "bench/worker.cpp").read_text())
    edit(project / "CMakeLists.txt", "bench/worker.cpp)", "bench/worker.cpp bench/again.cpp)")
    done = build(project, prefix)
    assert done.returncode == 0, done.stderr
    died = call(project / WORKER, "--list", cwd=project, env=None, code=-6)
    [line] = died.stderr.splitlines()
    assert line.startswith("nsop: op 'box_blur' is registered twice, in ")
    assert "bench/worker.cpp" in line and "bench/again.cpp" in line


def test_a_variant_of_an_op_that_is_not_linked_is_one_line(prefix, tmp_path):
    old, new = '{.op = "box_blur"', '{.op = "box_blurr"'
    project, done = changed(prefix, tmp_path, "bench/worker.cpp", old, new)
    assert done.returncode == 0, done.stderr
    refused = call(project / WORKER, "--list", cwd=project, env=None, code=2)
    [line] = refused.stderr.splitlines()
    assert "is of op 'box_blurr', which is not in this program" in line


def test_a_row_of_the_registry_without_an_oracle_is_one_line(prefix, tmp_path):
    old = "static Variant variant"
    row = 'const OpRow bare{Op{.spec = {"bare", "", {}}}};\n' + old
    project = copy_of("library", tmp_path / "changed")
    edit(project / "bench/worker.cpp", old, row)
    done = build(project, prefix, flags="-Wall")
    assert done.returncode == 0, done.stderr
    refused = call(project / WORKER, "--list", cwd=project, env=None, code=2)
    [line] = refused.stderr.splitlines()
    assert "op 'bare' has no " in line


def test_the_code_in_the_document_is_a_worker(prefix, nsop, tmp_path):
    text = (ROOT / "docs/library.md").read_text()
    cmake, code = (
        re.search(rf"```{kind}\n(.*?)```", text, re.DOTALL).group(1) for kind in ("cmake", "cpp")
    )
    kernel = """#include <span>
namespace my {
inline void axpy(std::span<const float> x, std::span<const float> y, std::span<float> z) {
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = 2 * x[i] + y[i];
}
}  // namespace my
"""
    project = tmp_path / "document"
    (project / "bench").mkdir(parents=True)
    (project / "bench/worker.cpp").write_text(kernel + code)
    head = "cmake_minimum_required(VERSION 3.25)\nproject(document LANGUAGES CXX)\n"
    (project / "CMakeLists.txt").write_text(head + cmake.replace(" my_kernels", ""))
    done = build(project, prefix)
    assert done.returncode == 0, done.stderr
    nsop("verify", "--worker", project / "build/my-worker", "axpy n=1,1000")


def test_versions_are_semantic(prefix, tmp_path):
    project = (ROOT / "CMakeLists.txt").read_text()
    major, minor = re.search(r"project\(nsop VERSION (\d+)\.(\d+)\.", project).groups()
    example = copy_of("library", tmp_path / "example")
    wanted = re.search(
        r"find_package\(nsop (\S+) REQUIRED", (example / "CMakeLists.txt").read_text()
    )
    assert wanted.group(1) in (f"{major}.{minor}", major), "the example asks for another version"
    edit(example / "CMakeLists.txt", f"nsop {wanted.group(1)} ", f"nsop {int(major) + 1} ")
    refused = configure(example, prefix)
    assert refused.returncode != 0
    assert "nsop" in refused.stderr and "version" in refused.stderr
