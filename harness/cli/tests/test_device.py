"""Rows of a device: what is told of them, and that a machine without one says so."""

import json
import os
import re
from pathlib import Path

import pytest

from nsop_report import model

from harness.cli.testing.repository_support import BIN

WORKER = BIN / "nsop-worker-opencl"
RELU = "relu pass=forward n=100000 range=-3:3"
DRIVERS = Path("/etc/OpenCL/vendors")
NONE = {"OCL_ICD_VENDORS": "/nonexistent"}  # as where no driver is installed


@pytest.fixture(autouse=True)
def worker():
    if not WORKER.exists():
        if os.environ.get("NSOP_TEST_FULL"):
            pytest.fail(f"{WORKER} was not built")
        pytest.skip(f"{WORKER} was not built")


@pytest.fixture
def device():
    if not list(DRIVERS.glob("*.icd")):
        if os.environ.get("NSOP_TEST_FULL"):
            pytest.fail("no OpenCL driver is installed")
        pytest.skip("no OpenCL driver is installed")


def rows(nsop, *arguments, **options):
    done = nsop("run", *arguments, "--rounds", "2", "--json", **options)
    return {(r["variant"], r["threads"]): r for r in json.loads(done.stdout)["rows"]}


def test_a_device_is_measured_beside_the_processor(nsop, device):
    found = rows(nsop, RELU, "--variant", "hwy", "--device", "opencl")
    assert {key[0] for key in found} == {"hwy", "opencl"}
    row = found["opencl", 1]
    assert row["status"] == "ok", row
    exported = map(json.loads, nsop("export", "@last").stdout.splitlines())
    timed = [one for one in exported if one["type"] == "invocation" and one["phase"] == "time"]
    told = [one["samples"]["metrics"] for one in timed if one["row"]["variant"] == "opencl"]
    assert len(told) == 2 and all(told)
    for metrics in sum(told, []):
        assert metrics["device_ns"] > 0 and metrics["transfer_ns"] > 0
    shown = nsop("run", RELU, "--device", "opencl", "--variant", "hwy", "--rounds", "2").stdout
    (line,) = [line for line in shown.splitlines() if " opencl@" in line]
    assert re.search(r"device \S+ \S+, copies \S+ \S+", line)


def test_what_a_device_cannot_do_is_unsupported_and_the_others_go_on(nsop, device):
    backward = RELU.replace("forward", "backward")
    found = rows(nsop, backward, "--variant", "hwy", "--device", "opencl", "--threads", "2")
    assert found["hwy", 2]["status"] == "ok"
    assert found["opencl", 2]["status"] == "unsupported"
    assert "device has no threads" in found["opencl", 2]["reason"]


def test_without_a_device_its_rows_say_so(nsop):
    found = rows(nsop, RELU, "--variant", "hwy", "--device", "opencl", env=NONE)
    assert found["hwy", 1]["status"] == "ok"
    assert found["opencl", 1]["status"] == "unsupported"
    assert found["opencl", 1]["reason"] == "not present: no OpenCL device"
    done = nsop("--worker", WORKER, "verify", RELU, env=NONE)
    assert "0 problems; 1 rows checked on two seeds, 1 unsupported" in done.stdout


def variants_of(nsop, *arguments):
    plan = json.loads(nsop("run", *arguments, "--dry-run", "--json").stdout)
    return {row["variant"] for row in plan["rows"] if row["case"].startswith("maxpool2d")}


def test_the_suite_of_devices_is_measured_where_somebody_asks_for_it(nsop):
    full = ("--profile", "full", "--filter", "maxpool2d *")
    assert "opencl" not in variants_of(nsop, *full)
    assert "opencl" in variants_of(nsop, *full, "--device", "opencl")
    assert variants_of(nsop, "--suite", "devices") == {"hwy", "opencl"}


def test_the_report_has_the_device_beside_the_best_of_the_processor(nsop, device, tmp_path):
    nsop("run", "--suite", "devices", "--profile", "full", "--filter", "sum n=100000 *")
    nsop("report", "@last", "--out", tmp_path)
    report = model.load(tmp_path / "devices.json")
    (section,) = [one for one in report["sections"] if one["title"] == "Bound by memory"]
    table = section["tables"][0]
    (row,) = table["rows"]
    cells = dict(zip((column["id"] for column in table["columns"]), row["cells"]))
    assert cells["kernels"]["value"] + cells["copies"]["value"] < cells["after"]["value"]
    assert cells["speedup"]["verdict"] in ("better", "worse", "same", "inconclusive")
    assert report["headline"].startswith("opencl on ")


def test_what_a_device_has_no_room_for_is_unsupported_and_the_others_go_on(nsop, device):
    large = "relu pass=forward n=300000000 range=-3:3"  # 1.2 GB, of which this device takes less
    done = nsop("--worker", WORKER, "verify", large, env={"POCL_MEMORY_LIMIT": "1"})
    assert "a tensor of 1200000000 bytes is more than " in done.stdout


def test_a_device_that_disappears_costs_its_rows_alone(nsop, device):
    gone = {"LD_PRELOAD": str(BIN / "libnsop_lost_device.so"), "NSOP_TEST_DEVICE_LASTS": "2"}
    found = rows(nsop, RELU, "--variant", "hwy", "--device", "opencl", env=gone)
    assert found["hwy", 1]["status"] == "ok"
    assert found["opencl", 1]["status"] == "error"
    assert (
        "clFinish failed with error -2 (the device is not available)"
        in found["opencl", 1]["reason"]
    )


def test_a_device_is_chosen_by_a_part_of_its_name(nsop, device):
    found = rows(
        nsop, RELU, "--variant", "hwy", "--device", "opencl", env={"NSOP_DEVICE": "no such"}
    )
    assert found["opencl", 1]["status"] == "unsupported"
    name = rows(nsop, RELU, "--variant", "opencl")["opencl", 1]["target"]
    word = name.split("-")[0].upper()
    again = rows(nsop, RELU, "--variant", "opencl", env={"NSOP_DEVICE": word})
    assert again["opencl", 1]["target"] == name
