"""File names and atomic writing."""

import os
import re
import tempfile

from nsop_report.errors import BAD_DATA, ENVIRONMENT, ReportError


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

    Raises ReportError (environment).
    """
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, os.path.join(folder, name))
    except OSError as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise _no_writing(os.path.join(folder, name), error) from error


def _no_writing(path, error):
    return ReportError(ENVIRONMENT, f"{path}: can't be written: {error.strerror}")
