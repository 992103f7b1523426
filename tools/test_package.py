"""The Debian packages: what is in them, that they are the same wherever they are made, and a bare
Debian that installs one and gates somebody's project.

They are made with kernels for two SIMD targets: more take minutes to compile and lie in the same
files. NSOP_PACKAGES names a folder with packages of this commit that are there already.
"""

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
import sources

from harness.cli.testing.foreign_support import gbench_program
from harness.cli.testing.repository_support import BIN

ROOT = Path(__file__).resolve().parents[1]
VERSION = re.search(r"project\(nsop VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
NEEDED = ("cmake", "ninja", "help2man", "dpkg-shlibdeps", "dpkg-deb")
SKIPPED = "NSOP_SKIP_TARGETS"  # SIMD targets that a build has no kernels for
TIMES = {"BM_Copy<int>/8": 1000, "BM_Sort/100": 2000}


def done(*command, **options):
    result = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL, **options
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def lacks(*programs):
    missing = [name for name in programs if shutil.which(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {' '.join(missing)}")


def as_tested():
    """Compiled as the tested programs are: where ccache is installed, it has everything."""
    cached = re.search(rf"^{SKIPPED}:\w+=(.*)$", (BIN.parent / "CMakeCache.txt").read_text(), re.M)
    return [f"-D{SKIPPED}={cached.group(1)}", "-DCMAKE_BUILD_TYPE=Debug"]


def make_packages(source, folder, **environment):
    done(source / "tools/package.sh", folder, *as_tested(), env={**os.environ, **environment})
    return {path.name.split("_")[0]: path for path in folder.glob("*.deb")}


@pytest.fixture(scope="session")
def copy(tmp_path_factory):
    """The sources as they lie here, elsewhere: what is built here stays as it is."""
    folder = tmp_path_factory.mktemp("copy") / "nsop"
    done("git", "clone", "-q", "--no-checkout", ROOT, folder)
    for path in sources.project_files(ROOT):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path)
    done("git", "-C", folder, "reset", "-q")  # to the commit, but not the files
    return folder


@pytest.fixture(scope="session")
def packages(copy, tmp_path_factory):
    """The packages of the sources as they lie here, by name."""
    given = os.environ.get("NSOP_PACKAGES")
    if given:
        return {path.name.split("_")[0]: path for path in Path(given).glob("*.deb")}
    return make_packages(copy, tmp_path_factory.mktemp("packages"))


def fields(deb):
    text = done("dpkg-deb", "--field", deb)
    return dict(line.split(": ", 1) for line in text.splitlines() if re.match(r"[\w-]+: ", line))


def members(deb):
    """What a package installs: path -> entry of its archive."""
    process = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], capture_output=True, check=True)
    scratch = deb.with_suffix(".tar")
    scratch.write_bytes(process.stdout)
    with tarfile.open(scratch) as archive:
        found = {entry.name.lstrip("./"): entry for entry in archive}
    scratch.unlink()
    return found


def commands(program):
    """Every verb of nsop, and every verb of a verb, as words."""

    def below(words):
        text = done(program, *words, "--help").partition("\nSubcommands:\n")[2]
        for line in text.splitlines():
            if not line.strip():
                break
            if re.match(r"  \S", line):
                found = [*words, line.split()[0]]
                yield found
                yield from below(found)

    return list(below([]))


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """Man pages and completions, as a package has them, of the programs that are tested."""
    folder = tmp_path_factory.mktemp("documents") / "share"
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    who = "Somebody <somebody@example.org>"
    done(ROOT / "tools/package/documents.sh", BIN / "nsop", folder, who, env=environment)
    return folder


@lacks("help2man")
def test_every_program_and_every_verb_has_a_man_page(documents):
    names = {"nsop", "nsop-worker", "nsop-adapter"}
    names |= {"-".join(["nsop", *words]) for words in commands(BIN / "nsop")}
    assert {"nsop-gate", "nsop-baseline-set"} <= names
    assert {page.name for page in (documents / "man/man1").iterdir()} == {
        f"{n}.1.gz" for n in names
    }


@lacks("help2man", "man")
def test_man_pages_say_what_help_says_and_have_no_date_of_today(documents):
    page = documents / "man/man1/nsop-gate.1.gz"
    text = done(
        "man", "--warnings", "--encoding=UTF-8", page, env={**os.environ, "MANWIDTH": "120"}
    )
    text = re.sub(r".\x08", "", text)
    assert "NSOP-GATE(1)" in text and "November 2023" in text
    for flag in re.findall(r"--[a-z-]+", done(BIN / "nsop", "gate", "--help")):
        assert flag in text, flag
    assert "Measure two builds alternately" in text.partition("NAME")[2].splitlines()[1]


def test_the_page_of_nsop_lists_the_exit_codes_that_there_are():
    header = (ROOT / "harness/core/error.h").read_text()
    codes = set(re.findall(r"k\w+ = (\d+)", header))
    page = (ROOT / "tools/package/nsop.h2m").read_text()
    section = page.partition("[EXIT STATUS]")[2].partition("\n[")[0]
    listed = [line[3:] for line in section.splitlines() if line.startswith(".B ")]
    assert set(re.findall(r"\d+", " ".join(listed))) == codes


@lacks("help2man")
def test_completions_lie_where_each_shell_looks(documents):
    for shell, path in {
        "bash": "bash-completion/completions/nsop",
        "zsh": "zsh/vendor-completions/_nsop",
        "fish": "fish/vendor_completions.d/nsop.fish",
    }.items():
        assert (documents / path).read_text() == done(BIN / "nsop", "completion", shell)


@lacks("help2man")
def test_the_changelogs_are_the_project_s_and_the_one_of_debian(documents):
    changelog = gzip.decompress((documents / "doc/nsop/CHANGELOG.md.gz").read_bytes())
    assert changelog == (ROOT / "CHANGELOG.md").read_bytes()
    for name in ("nsop", "libnsop-dev"):
        text = gzip.decompress((documents / f"doc/{name}/changelog.gz").read_bytes()).decode()
        assert text.startswith(f"nsop ({VERSION}) unstable")
        assert text.endswith(
            " -- Somebody <somebody@example.org>  Tue, 14 Nov 2023 22:13:20 +0000\n"
        )


@lacks("help2man")
def test_a_verb_without_help_is_no_page(tmp_path):
    broken = tmp_path / "nsop"
    broken.write_text('#!/bin/sh\n[ "$1" = --version ] && echo 1.0.0 && exit\nexit 3\n')
    broken.chmod(0o755)
    failed = subprocess.run(
        [ROOT / "tools/package/documents.sh", broken, tmp_path / "share", "Nobody"],
        capture_output=True,
    )
    assert failed.returncode != 0


@pytest.mark.slow
@lacks(*NEEDED)
def test_both_packages_say_what_they_are_and_need(packages):
    assert set(packages) == {"nsop", "libnsop-dev"}
    nsop, dev = fields(packages["nsop"]), fields(packages["libnsop-dev"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
    assert nsop["Version"] == dev["Version"] == VERSION
    for library in ("libc6", "libfmt9", "libsoci-core4.0", "python3-jinja2", "libhwy1"):
        assert library in nsop["Depends"], library
    assert "libbenchmark-dev" in dev["Depends"] and f"nsop (= {VERSION})" in dev["Recommends"]


@pytest.mark.slow
@lacks(*NEEDED)
def test_what_is_in_the_packages(packages):
    found = members(packages["nsop"])
    assert {
        "usr/bin/nsop",
        "usr/bin/nsop-worker",
        "usr/bin/nsop-adapter",
        "usr/lib/nsop/preload/libnsop_alloc.so",
        "usr/share/nsop/harness/suites/layers.toml",
        "usr/share/nsop/reports/nsop_report/__main__.py",
        "usr/share/nsop/tools/gate_report.sh",
        "usr/share/nsop/ci/action/gate.sh",
        "usr/share/nsop/ci/hooks/github_comment.sh",
        "usr/share/man/man1/nsop-gate.1.gz",
        "usr/share/bash-completion/completions/nsop",
        "usr/share/zsh/vendor-completions/_nsop",
        "usr/share/fish/vendor_completions.d/nsop.fish",
        "usr/share/doc/nsop/copyright",
    } <= set(found)
    # What other libraries this machine has is no part of a package.
    assert not [path for path in found if re.search(r"peer-|test_|__pycache__|conftest", path)]
    library = set(members(packages["libnsop-dev"]))
    assert any(path.endswith("/libnsop.a") for path in library)
    assert any(path.endswith("/nsopConfig.cmake") for path in library)
    assert not library & {path for path, entry in found.items() if entry.isfile()}


@pytest.mark.slow
@lacks(*NEEDED)
def test_what_is_installed_is_root_s_and_of_the_time_of_the_commit(packages, copy):
    time = int(done("git", "-C", copy, "log", "-1", "--format=%ct"))
    for deb in packages.values():
        for path, entry in members(deb).items():
            assert (entry.uid, entry.gid) == (0, 0), path
            assert entry.mode in (0o755, 0o644), path
            assert entry.isdir() or entry.mtime == time or os.environ.get("NSOP_PACKAGES"), path


@pytest.mark.slow
@lacks(*NEEDED, "lintian")
def test_lintian_finds_nothing(packages):
    for deb in packages.values():
        result = subprocess.run(
            ["lintian", "--fail-on", "error,warning", "--allow-root", deb],
            capture_output=True,
            text=True,
        )
        assert (result.returncode, result.stdout) == (0, ""), result.stdout + result.stderr


@pytest.mark.slow
@lacks(*NEEDED)
def test_symbols_are_the_worker_s_and_no_folder_of_the_build_is_in_a_program(
    packages, copy, tmp_path
):
    done("dpkg-deb", "--extract", packages["nsop"], tmp_path)
    symbols = {
        name: done("nm", "--demangle", tmp_path / "usr/bin" / name)
        for name in ("nsop", "nsop-worker")
    }
    assert "Step" in symbols["nsop-worker"] and symbols["nsop"] == ""
    for path in (*(tmp_path / "usr/bin").iterdir(), *(tmp_path / "usr/lib/nsop/preload").iterdir()):
        for folder in (ROOT, copy):
            assert str(folder).encode() not in path.read_bytes(), path


@pytest.mark.slow
@lacks(*NEEDED)
def test_two_clones_make_the_same_bytes(request, tmp_path):
    """From two folders whose paths are of unequal lengths, one after the other: a copy of this
    one, where nothing is changed in it, and a clone; there with ccache settings of somebody's
    own."""
    changed = done("git", "-C", ROOT, "status", "--porcelain")
    names, digests = ["another/folder/with/a/longer/path"], []
    if changed or os.environ.get("NSOP_PACKAGES"):
        names.append("a")
    else:
        digests.append(digests_of(request.getfixturevalue("packages")))
    for name in names:
        clone = tmp_path / name / "nsop"
        clone.parent.mkdir(parents=True)
        done("git", "clone", "-q", ROOT, clone)
        made = make_packages(clone, tmp_path / name / "packages", CCACHE_BASEDIR="/")
        digests.append(digests_of(made))
        shutil.rmtree(clone)
    assert set(digests[0]) == {"nsop", "libnsop-dev"} and digests[0] == digests[1]


def digests_of(packages):
    return {name: hashlib.sha256(deb.read_bytes()).hexdigest() for name, deb in packages.items()}


class Machine:
    """A Debian that has only what a bare one has, in containers without a daemon."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "BUILDAH_ISOLATION": "chroot"}

    def buildah(self, *arguments):
        place = ["--root", self.folder / "storage", "--runroot", self.folder / "run"]
        command = ["buildah", "--storage-driver", "vfs", *place, *arguments]
        return done(*command, env=self.environment).strip()

    def import_base(self):
        """A bare Debian as the image debian:12; it is kept in build/, for it takes a minute."""
        kept = ROOT / "build/debian-12.tar"
        if not kept.exists():
            base = self.folder / "base"
            kept.parent.mkdir(exist_ok=True)
            done("debootstrap", "--variant=minbase", "bookworm", base)
            done("tar", "-C", base, "-cf", kept.with_suffix(".new"), ".")
            kept.with_suffix(".new").rename(kept)
            shutil.rmtree(base)
        container = self.buildah("from", "scratch")
        self.buildah("add", "-q", container, kept, "/")
        self.buildah("commit", "-q", container, "localhost/debian:12")
        self.buildah("rm", container)


@pytest.fixture(scope="module")
def image(packages, tmp_path_factory):
    """A machine with the image that the Dockerfile makes of the packages."""
    machine = Machine(tmp_path_factory.mktemp("machine"))
    machine.import_base()
    file = ROOT / "tools/package/Dockerfile"
    base = ["--build-arg", "BASE=localhost/debian:12"]
    machine.buildah("bud", "-q", "-f", file, *base, "-t", "nsop", packages["nsop"].parent)
    yield machine
    shutil.rmtree(machine.folder, ignore_errors=True)


def project_of_somebody(folder):
    """A repository whose head makes a benchmark slower."""

    def git(*arguments):
        done("git", "-C", folder, "-c", "user.name=T", "-c", "user.email=t@example.org", *arguments)

    gbench_program(folder / "source.py", TIMES, seed=1)
    (folder / "nsop.toml").write_text(
        '[[programs]]\nname = "bench"\nadapter = "gbench"\nrun = "out/bench"\n'
        'build = ["mkdir -p out", "cp source.py out/bench"]\n'
    )
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "first")
    gbench_program(folder / "source.py", dict(TIMES, **{"BM_Sort/100": 2100}), seed=2)
    git("commit", "-qam", "slower")


can_build_images = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a bare Debian")


@pytest.mark.slow
@can_build_images
@lacks(*NEEDED, "buildah", "debootstrap")
def test_a_bare_debian_installs_the_package_gates_a_project_and_forgets_it(image, tmp_path):
    project = tmp_path / "project"
    project_of_somebody(project)
    container = image.buildah("from", "localhost/nsop")
    entry = image.buildah("inspect", "--format", "{{.OCIv1.Config.Entrypoint}}", "localhost/nsop")
    assert entry == "[nsop]"

    def run(*command):
        place = ["--volume", f"{project}:/project", "--workingdir", "/project"]
        return image.buildah("run", *place, container, "--", *command)

    assert run("nsop", "--version") == VERSION
    assert "activations" in run("nsop", "list", "suites")
    gate = "/usr/share/nsop/ci/action/gate.sh"
    run(gate, "measure", "out-of-tree", "HEAD~1", "HEAD", "--budget", "0s")
    head = done("git", "-C", project, "rev-parse", "HEAD").strip()
    verdict = run("bash", "-c", f"{gate} report out-of-tree {head} || echo exit $?")
    assert verdict.endswith("exit 1")
    comment = (project / "out-of-tree/gate.md").read_text()
    assert "1 regression" in comment and "bench name=BM_Sort/100" in comment
    line = "relu pass=forward n=64 range=-3:3"
    own = ["--worker", "/usr/bin/nsop-worker", "--variant", "elementwise", "--rounds", "2"]
    counted = json.loads(run("nsop", "run", line, *own, "--json", "--quiet"))
    assert [row["allocs_per_op"] for row in counted["rows"]] == [1.0]
    run("apt-get", "-y", "-q", "purge", "nsop")
    left = "for p in /usr/share/nsop /usr/lib/nsop /usr/bin/nsop; do [ ! -e $p ] || echo $p; done"
    assert run("sh", "-c", left) == ""
