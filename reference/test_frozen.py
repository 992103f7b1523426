"""Old implementations that reports still show as "before" are frozen: what was measured against
them would no longer hold. A new file is added here once a report shows its op; none is edited.
Where the files that they include lie may change: lines of #include don't count."""

import hashlib
import pathlib
import re

import pytest

BEFORE = pathlib.Path(__file__).resolve().parent / "before"
REPORTS = BEFORE.parents[1] / "reports/generated"
FROZEN = {
    "activations.cpp": "fbd1627b7fc2b6fe3854b37ae8194de5b8008b76ef6265d6538aa289b788bff2",
    "axis_ops.cpp": "b496bb45a6d1d92bc784cbd03d0580fcdbdb540f01575325b502b6db15c6fd3c",
    "conv1d.cpp": "733fa8a95d9f985fbe28d62a1fe961bd0942924c2f1d319dde8130b8bf8198f2",
    "conv2d.cpp": "933654ad2230e37a8c1fe05b0ae40f649b1488f16fa77eac0a94548a5a43f760",
    "conv_parts.cpp": "7356c12d95fe572f4b8e7dc51ac257ba53cd322f86b5436b754e06a91b8a1fd1",
    "conv_parts.h": "2bf0f50f39ea1be3522cddc3fc0f93d360840f527a2da9d9876b81e81a533fd3",
    "conv_tensor_ops.cpp": "58b7ce3ca07fe1f4e4a836e72f2a7ac8b9a8d0720942253cdea42c13401c2e36",
    "dense.cpp": "7d49db9412a934ed2eb63eca1e39b9249d1e3d156ec4c7603498917e051b6462",
    "dropout.cpp": "9183f5486dbfedec133335ecc970d452e954fa7ec82fa21b15a72b76ad336994",
    "elementwise.cpp": "7946056bbfb66de1956b0a8eb6df622e47ecd96ed0f002de3ae7b114dd1abcca",
    "elementwise.h": "83a5618fa1119c58ec72ce0c8da598b5f54c61f4959c681ab6532b2cdc33f780",
    "embedding.cpp": "29f0e3f0b0d165739dabd61e51ff3bb7e1db4bdfe1dc0ba49764bc67ccc5302b",
    "gru.cpp": "269adcb5e5ff9765b5cff27045b9f19dab885605492add6a8f65a930d4e6adfa",
    "lstm.cpp": "27f92da685a934515389cf143032002367dcdded11dbd549bed5401c3c455707",
    "matmul.cpp": "503b250873ec0118d37f48ccf65f8f4df596d14d3f77229a28037d86f754cee4",
    "pool1d3d.cpp": "2c59219e76119b6111495ec3dedcafb9312d1b26da0f91bf1d0973f748287851",
    "pool2d.cpp": "5e337d193af39ae18eada52a94d685ce3a67795162c1f370e0a79c8133a15de2",
    "pool2d_adaptive.cpp": "270104fbfb600427436c1c340a8f924b443a3c01c5c42ba01b5fe6684c4e859f",
    "pool2d_tensor_ops.cpp": "4b692890289f3e811dbe0f550228cf4af5f3bf6e10739949f7f3c325e2669f75",
    "recurrent_parts.cpp": "53d15bda77c979b0a19ec75d0b7ee7972751be2b340d250e6f365a97706628fc",
    "recurrent_parts.h": "fe5ccd3c63f40b2554fbf66d5630c2f54540c232870d6b0109067c0101abad29",
    "rnn.cpp": "94f5e8ef8e998de578c9930c1acbdec13682af78f0f1eaeeff880615d65f75a8",
    "training.cpp": "68e96e6bcf391e5aec5638a0f2be75d55653a1a6d9bffdc32b52f18d58c78b52",
}


def test_all_whose_ops_reports_show_are_listed():
    found = {path.name: path for path in BEFORE.iterdir() if path.suffix in (".cpp", ".h")}
    assert set(FROZEN) <= set(found)
    new = [found[name].read_text() for name in set(found) - set(FROZEN)]
    ops = {op for text in new for op in re.findall(r'elementwise\("(\w+)"', text)}
    shown = "".join(path.read_text() for path in REPORTS.glob("*.json"))
    assert not [op for op in ops if f'"{op} ' in shown], "freeze them: add their hashes"
    assert '"relu ' in shown


@pytest.mark.parametrize("name", FROZEN)
def test_none_was_edited(name):
    lines = (BEFORE / name).read_bytes().splitlines(keepends=True)
    frozen = b"".join(line for line in lines if not line.startswith(b"#include"))
    assert hashlib.sha256(frozen).hexdigest() == FROZEN[name]
