"""Files that the server makes from runs and keeps beside them: facts about questions, and finished reports.

A file's name is a hash of the state of the runs and of the version of Neraca, so a file is never out of date: when a
run changes, another file is made.  The oldest files are deleted when there are too many.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Hashable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from neraca.files import fingerprint

#: The folder of these files; its name begins with a dot, so that no run is looked for in it.
FOLDER = ".neraca-kept"
#: The most bytes of all kept files.
MOST = 1 << 30


class KeptFiles:
    """The folder of kept files; a temporary one if the runs are in a read-only folder.

    Parameters
    ----------
    root
        The folder of the runs.
    most
        The most bytes of all files; the oldest are deleted.
    """

    def __init__(self, root: Path, most: int = MOST) -> None:
        self._most = most
        self.folder = root / FOLDER
        try:
            if self.folder.is_symlink():  # it may lead out of the folder of the runs
                raise PermissionError(self.folder)
            self.folder.mkdir(exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError:
            self.folder = Path(tempfile.mkdtemp(prefix="neraca-"))
            self._finalizer = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, kind: str, key: Hashable, suffix: str) -> Path:
        """Return the path of the file of a key, which may not exist yet; delete old files if there are too many."""
        self._delete_old()
        return self.folder / f"{kind}-{fingerprint((version('neraca'), repr(key)))}{suffix}"

    def _delete_old(self) -> None:
        with suppress(OSError):
            files = sorted(((s := file.stat()).st_mtime, s.st_size, file.path) for file in os.scandir(self.folder))
            size = sum(size for _, size, _ in files)
            for _, bytes_of_file, path in files:
                if size <= self._most:
                    break
                Path(path).unlink()
                size -= bytes_of_file
