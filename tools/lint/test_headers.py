"""Sources without a header say why."""

from pathlib import Path

import headers
import pytest


@pytest.mark.parametrize(
    "name, text, fine",
    [
        ("harness/judge/gate/a.cpp", '#include "harness/judge/gate/a.h"\n', True),
        ("harness/judge/gate/b.cpp", "#include <string>\n", False),
        ("harness/cli/verbs/b.cpp", "// nsop b, a verb (verbs.h): does b.\n", True),
        ("harness/store/b.cpp", "// Does b.\n\n// b.h\n", False),
        ("harness/store/b.cpp", "// Does b, as declared\n// in store.h.\n", True),
        ("harness/fuzz/b.cpp", "// Reads.\n#include <string>\n\nint main() {\n", True),
        ("kernels/norm/b.cpp", "// Norms of lines.\n", False),
        ("kernels/norm/b.cpp", "// Variants of norms of lines.\n", True),
        ("harness/judge/gate/b_test.cpp", "#include <string>\n", True),
        ("kernels/norm/b.cpp", "#include <string>\n", False),
        ("layers/b.cpp", "#include <string>\n", False),
        ("reference/before/b.cpp", "// The plain loops of b.\n", True),
        ("reference/spec/b.cpp", "\n// Not in the first line.\n", False),
        ("examples/b.cpp", "#include <string>\n", True),
    ],
)
def test_a_header_or_a_reason(tmp_path, name, text, fine):
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(text)
    (tmp_path / name).with_name("a.h").write_text("")
    problems = headers.check(tmp_path, [Path(name)])
    assert problems == ([] if fine else [f"{name}:1: has no header b.h and doesn't say why not"])


@pytest.mark.parametrize(
    "text, problem",
    [
        ('#include <fmt/format.h>\nauto a = fmt::format("");\n', None),
        ("#include <fmt/ranges.h>\nfmt::join(a, b);\n", None),
        ("#include <string>\n\nfmt::join(a, b);\n", "3: uses fmt:: but includes no <fmt/...>"),
        ("using testing::HasSubstr;\n", "1: uses testing::HasSubstr but includes no <gmock/...>"),
        ("RC_GTEST_PROP(A, B, ()) {}\n", "1: uses RC_GTEST_PROP( but includes no <rapidcheck...>"),
    ],
)
def test_what_is_read_beforehand_is_included_all_the_same(tmp_path, text, problem):
    path = tmp_path / "harness/run/a_test.cpp"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    name = Path("harness/run/a_test.cpp")
    assert headers.check(tmp_path, [name]) == ([f"{name}:{problem}"] if problem else [])
