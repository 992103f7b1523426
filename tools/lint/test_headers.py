"""Sources without a header say why."""

from pathlib import Path

import headers
import pytest


ROW = "namespace nsop {\nnamespace {\nint f() { return 1; }\nconst VariantRow row{f()};\n}\n"
REGISTERS = f"// Norms of lines.\n{ROW}}}\n"
REGISTERS_AND_DEFINES = f"// Variants of norms.\n{ROW}int g() {{ return 2; }}\n}}\n"
# Each declares the function that it is followed by.
CALLED = '#include "harness/a.h"\nnamespace nsop {\nint called() { return 1; }\n}\n'
FOUND = '#include "harness/further.h"\nnamespace nsop {\nint called() { return 1; }\n}\n'
OTHER = '#include "harness/a.h"\nnamespace nsop {\nconst int& other() { return x; }\n}\n'


@pytest.mark.parametrize(
    "name, text, fine",
    [
        ("harness/judge/gate/a.cpp", '#include "harness/judge/gate/a.h"\n', True),
        ("harness/judge/gate/b.cpp", "#include <string>\n", False),
        ("harness/cli/b.cpp", f"// nsop b, a verb (a.h): does b.\n{CALLED}", True),
        ("harness/store/b.cpp", f"// Does b, as declared\n// in a.h.\n{CALLED}", True),
        ("harness/store/b.cpp", f"// Does b (a.h).\n{FOUND}", True),
        ("harness/store/b.cpp", f"// Does b (a.h).\n{OTHER}", False),
        ("harness/store/b.cpp", "// Does b (a.h).\nint called() { return 1; }\n", False),
        ("harness/store/b.cpp", f"// Does b (c.h).\n{CALLED}", False),
        ("harness/store/b.cpp", f"// Does b.\n\n// a.h\n{CALLED}", False),
        ("harness/fuzz/b.cpp", "// Reads.\n#include <string>\n\nint main() {\n", True),
        ("harness/fuzz/b.cpp", "#include <string>\n\nint main() {\n", False),
        ("harness/fuzz/b.cpp", "// Reads a.h.\n\n// int main() {\n", False),
        ("harness/fuzz/b.cpp", "// Reads. No header: its\n// functions replace others.\n", True),
        ("harness/fuzz/b.cpp", "// Reads. No header:\n// why.\n", False),
        ("harness/fuzz/b.cpp", "// Runs under LD_PRELOAD, as a target of libFuzzer.\n", False),
        ("harness/judge/gate/b_test.cpp", "#include <string>\n", True),
        ("kernels/norm/b.cpp", "// Norms of lines.\n", False),
        ("kernels/norm/b.cpp", "// Variants of norms of lines.\n", False),
        ("layers/b.cpp", "// The layer b, whose variants are fast.\n", False),
        ("layers/b.cpp", "// The layer b.\n// const VariantRow row{f()};\n", False),
        ("kernels/norm/b.cpp", REGISTERS, True),
        ("kernels/norm/b.cpp", REGISTERS.partition("\n")[2], False),
        ("kernels/norm/b.cpp", REGISTERS_AND_DEFINES, False),
        ("kernels/norm/b.cpp", "#include <string>\n", False),
        ("layers/b.cpp", "#include <string>\n", False),
        ("reference/before/b.cpp", REGISTERS, True),
        ("reference/before/b.cpp", "// The plain loops of b.\n", False),
        ("reference/spec/b.cpp", f"\n// Not in the first line.\n{ROW}}}\n", False),
        ("examples/b.cpp", "#include <string>\n", True),
    ],
)
def test_a_header_or_a_reason(tmp_path, name, text, fine):
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(text)
    (tmp_path / name).with_name("a.h").write_text("")
    (tmp_path / "harness").mkdir(exist_ok=True)
    (tmp_path / "harness/a.h").write_text("int called();  // not other()\n")
    (tmp_path / "harness/further.h").write_text('#include "harness/a.h"\n')
    problems = headers.check(tmp_path, [Path(name)])
    assert problems == ([] if fine else [f"{name}:1: has no header b.h and doesn't say why not"])


@pytest.mark.parametrize(
    "text, names",
    [
        ("namespace a::b {\nint f(int x) { return x; }\n}\nint g() {}\n", {"f", "g"}),
        ("namespace {\nint f() {}\nnamespace b {\nint g() {}\n}\n}\nint h() {}\n", {"h"}),
        ("namespace a {\nnamespace HWY_NAMESPACE {\nint f() {}\n}\nint g() {}\n}\n", {"g"}),
        ("namespace a::HWY_NAMESPACE {\nint f() {}\n}\nHWY_AFTER_NAMESPACE();\n", set()),
        ('extern "C" {\nint f();\nint g() {}\n}\n', {"g"}),
        ("struct S {\n  int f() { return 1; }\n};\nstatic int g() {}\nint f(int);\n", set()),
        ("const int k = 1;\nconstexpr int l{1};\nusing T = int;\n", set()),
        ("constinit const Form kForm = {.name = 1};\nint count = f({1});\n", {"kForm", "count"}),
        ("const T& f() {}\nvoid S::g() const { h(); }\n", {"f", "g"}),
        ('#define F(x) int x() { }\n// int f() {}\nconst char* f() { return "}"; }\n', {"f"}),
    ],
)
def test_names_that_other_files_could_use(text, names):
    assert headers.visible_names(text) == names


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
