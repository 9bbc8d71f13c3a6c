"""Folders for plaintext, which go with the process that made them."""
import atexit
import contextlib
import fcntl
import os
import shutil
import signal
import stat
import tempfile
import threading

PREFIX = f"hebatch-table-{os.uname().nodename}-"  # locks of other hosts may be unseen here
FOLDERS = set()
SIGNALS = (signal.SIGTERM, signal.SIGHUP)


def hold(folder):
    """A descriptor with the lock of a folder; None where another process has it, or it is gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.stat(folder).st_ino == os.fstat(descriptor).st_ino:
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def sweep(place):
    """Removes the folders of this user whose process was killed: nobody holds their locks."""
    for entry in os.scandir(place):
        try:
            info = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        ours = entry.name.startswith(PREFIX) and stat.S_ISDIR(info.st_mode) and info.st_uid == os.getuid()
        descriptor = hold(entry.path) if ours else None
        if descriptor is not None:
            shutil.rmtree(entry.path, ignore_errors=True)
            os.close(descriptor)


@atexit.register
def remove_all():
    """Removes the folders of threads that do not end with Python."""
    for folder in list(FOLDERS):
        shutil.rmtree(folder, ignore_errors=True)


class Ended(BaseException):
    """A signal that ends Python: it passes every `except Exception`."""


@contextlib.contextmanager
def ends_orderly():
    """While a command runs and plaintext is on the disk, a signal that would end Python without a word ends the command
    first and removes what is there. In another thread than the main one, and where the caller has handlers of its own,
    signals stay what they are."""
    caught = []

    def note(number, _frame):
        caught.append(number)
        raise Ended(number)

    main = threading.current_thread() is threading.main_thread()
    taken = [number for number in SIGNALS if main and signal.getsignal(number) == signal.SIG_DFL]
    for number in taken:
        signal.signal(number, note)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
        if caught:
            os.kill(os.getpid(), caught[0])


@contextlib.contextmanager
def private_folder():
    """A folder for plaintext that only its owner reads (0700), in TMPDIR; removed with all that is in it."""
    with ends_orderly():
        sweep(tempfile.gettempdir())
        folder = descriptor = None
        try:
            while descriptor is None:  # another process may sweep it before it is held
                folder = tempfile.mkdtemp(prefix=PREFIX)
                FOLDERS.add(folder)
                descriptor = hold(folder)
                if descriptor is None and os.path.isdir(folder):
                    break  # the file system has no locks
            yield folder
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
                FOLDERS.discard(folder)
            if descriptor is not None:
                os.close(descriptor)
