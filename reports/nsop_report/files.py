"""File names and atomic writing."""

import os
import re
import stat
import tempfile

from nsop_report.errors import BAD_DATA, ENVIRONMENT, ReportError

UNFINISHED = ".nsop-new-"  # as in harness/core/files.h: nsop removes what a killed process left


def slug(name):
    """`name` as part of a file name: letters, digits, dashes and underscores; never a path."""
    safe = re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:60].strip("-")
    return safe or "unnamed"


def text_of(path):
    """What the file holds, bytes that are no UTF-8 replaced. Raises ReportError (bad data)."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        raise ReportError(BAD_DATA, f"{path}: can't be read: {error.strerror}") from error


def make_folder(folder):
    """Creates the folder if need be. Raises ReportError (environment)."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise _no_writing(folder, error) from error


def write_atomically(folder, name, data):
    """Writes bytes to folder/name by a temporary file and a rename: the whole file or none.

    A symbolic link stays one: the file that it leads to is replaced. What is no file, such as
    /dev/null or a pipe, is written into. Raises ReportError (environment).
    """
    wanted = os.path.join(folder, name)
    try:
        if _takes_no_file(wanted):
            _write_into(wanted, data)
        else:
            _replace(os.path.realpath(wanted), data)
    except OSError as error:
        raise _no_writing(wanted, error) from error


def _takes_no_file(path):
    """Is a device, a pipe or a socket there? Nothing takes its place."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _write_into(path, data):
    # A pipe without a reader is an error; one with a reader may be waited for.
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    os.set_blocking(handle, True)
    with os.fdopen(handle, "wb", buffering=0) as file:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]


def _replace(path, data):
    folder, name = os.path.split(path)
    handle, temporary = tempfile.mkstemp(prefix=f"{name}{UNFINISHED}", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def _no_writing(path, error):
    return ReportError(ENVIRONMENT, f"{path}: can't be written: {error.strerror}")
