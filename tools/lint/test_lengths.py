from pathlib import Path

import lengths

CPP = """#include <x>
#define OPEN(a) { \\
  a; }
namespace nsop {
const std::vector<int> kTable = {1, f(2),
                                 3};
template <class T, class U = std::vector<T>>
U many(T a, int b = 3) {
  if (a) { return {}; }
  return [&] { return "}"; }();
}
struct Foo {
  int a_{1};
  void method() const noexcept { x; }
  bool operator==(const Foo&) const { return true; }
};
Foo::Foo(int x) : a_{1}, b_(x), c_{[] { return 2; }()} {
  y;
}
const OpRow row(OpRow{.a = [](int) {
  return 1;
}});
TEST(Suite, Name) {
  "{";
}
auto trailing(int a) -> std::vector<int> {
  return {};
}
enum class E { a, b };
}  // namespace nsop
"""


def test_functions_of_cpp_are_found_with_their_lines():
    assert list(lengths.cpp_functions(CPP)) == [
        (7, 11, "many"),
        (14, 14, "method"),
        (15, 15, "operator"),
        (17, 19, "Foo::Foo"),
        (23, 25, "TEST"),
        (26, 28, "trailing"),
    ]


def write(tmp_path, name, text):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return Path(name)


def test_long_functions_are_found_and_kernels_may_be_longer(tmp_path):
    def function(lines):
        return "void f() {\n" + "  x;\n" * (lines - 2) + "}\n"

    short = write(tmp_path, "harness/run/a.cpp", function(60))
    long = write(tmp_path, "harness/run/b.cpp", "\n" + function(61))
    kernel = write(tmp_path, "kernels/a.cpp", function(100))
    long_kernel = write(tmp_path, "kernels/b.cpp", function(101))
    assert lengths.check(tmp_path, [short, long, kernel, long_kernel]) == [
        "harness/run/b.cpp:2: f has 61 lines, at most 60",
        "kernels/b.cpp:1: f has 101 lines, at most 100",
    ]


def test_a_long_table_is_no_function(tmp_path):
    table = write(
        tmp_path, "kernels/t.cpp", "const Row kRows[] = {\n" + "  {f(1)},\n" * 150 + "};\n"
    )
    assert lengths.check(tmp_path, [table]) == []


def test_long_python_functions_are_found(tmp_path):
    path = write(tmp_path, "tools/a.py", "def f():\n" + "    x = 1\n" * 60)
    assert lengths.check(tmp_path, [path]) == ["tools/a.py:1: f has 61 lines, at most 60"]


def test_long_files_are_found_but_generated_ones_are_not(tmp_path):
    long = write(tmp_path, "tools/a.sh", "x\n" * 401)
    generated = write(tmp_path, "reports/generated/a.js", "x\n" * 401)
    data = write(tmp_path, "harness/suites/a.toml", "x\n" * 401)
    assert lengths.check(tmp_path, [long, generated, data]) == [
        "tools/a.sh:1: 401 lines, at most 400: split it by purpose"
    ]
