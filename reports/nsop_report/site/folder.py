"""A folder that is there as a whole or not at all: built beside its place, then renamed."""

import contextlib
import fcntl
import json
import os
import shutil
import stat
import tempfile

from nsop_report.errors import ENVIRONMENT, USAGE, ReportError
from nsop_report.files import UNFINISHED, make_folder

MARKER = "nsop-site.json"  # what tells a site of ours from a folder of somebody else
SCHEMA = "nsop.site.folder/1"


@contextlib.contextmanager
def replacing(target):
    """The path of an empty folder which takes the place of `target` when all went well.

    Raises ReportError: usage where `target` is there and no site of ours, which is never touched;
    environment where nothing can be written. What was begun is removed then.
    """
    wanted = os.path.realpath(target)
    refuse_strangers(target)
    parent, name = os.path.split(wanted)
    make_folder(parent)
    new = ""
    try:
        new = tempfile.mkdtemp(prefix=f"{name}{UNFINISHED}", dir=parent)
        with _held(new):
            _sweep(parent, name, wanted)
            yield new
        os.chmod(new, 0o755)
        _exchange(new, wanted, target)
    except OSError as error:
        where = error.filename or target
        if new and str(where).startswith(new):  # nobody knows that folder
            where = target
        raise ReportError(ENVIRONMENT, f"{where}: can't be written: {error.strerror}") from error
    finally:
        if new:
            shutil.rmtree(new, ignore_errors=True)


@contextlib.contextmanager
def _held(folder):
    """Holds a lock on the folder, which ends with the process, however that ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sweep(parent, name, wanted):
    """Removes what killed builds of this site left: folders that hold something and no lock. Not
    where the site itself is gone: one of them may be what is left of it."""
    if not os.path.exists(wanted):
        return
    for entry in os.scandir(parent):
        if not entry.name.startswith(f"{name}{UNFINISHED}") or not entry.is_dir(
            follow_symlinks=False
        ):
            continue
        with contextlib.suppress(OSError):
            descriptor = os.open(entry.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.listdir(entry.path):
                    shutil.rmtree(entry.path, ignore_errors=True)
            finally:
                os.close(descriptor)


def refuse_strangers(target):
    """Raises ReportError (usage) if something is there that is no site of ours."""
    if os.path.exists(os.path.realpath(target)) and not is_ours(target):
        raise ReportError(
            USAGE, f"{target}: is there and no site of nsop: remove it, or name another folder"
        )


def is_ours(folder):
    """Has nsop written the folder as a site?"""
    marker = os.path.join(folder, MARKER)
    try:
        if not stat.S_ISREG(os.lstat(marker).st_mode):
            return False
        with open(marker, encoding="utf-8") as file:
            found = json.loads(file.read(65536))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and str(found.get("schema", "")).startswith("nsop.site.folder/")


def _exchange(new, wanted, target):
    """Puts `new` where `wanted` is; the old one comes back if that fails."""
    refuse_strangers(target)  # it may have come while we built
    if not os.path.exists(wanted):
        os.rename(new, wanted)
        return
    parent, name = os.path.split(wanted)
    old = tempfile.mkdtemp(prefix=f"{name}{UNFINISHED}", dir=parent)
    try:
        os.rename(wanted, old)  # over an empty folder
        try:
            os.rename(new, wanted)
        except OSError:
            os.rename(old, wanted)
            raise
    except OSError:
        with contextlib.suppress(OSError):
            os.rmdir(old)  # empty, or the only copy of what was there
        raise
    shutil.rmtree(old, ignore_errors=True)
