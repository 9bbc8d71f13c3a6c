"""The package has the version of the program: that which CHANGELOG.md begins with, here and where both are installed.
What a build makes on its way stays out of this folder."""

import atexit
import pathlib
import re
import shutil
import tempfile

import setuptools

changes = pathlib.Path(__file__).resolve().parents[2] / "CHANGELOG.md"
made = tempfile.mkdtemp(prefix="hebatch-build-")
atexit.register(shutil.rmtree, made, ignore_errors=True)
setuptools.setup(
    version=re.search(r"^## ([0-9.]+)", changes.read_text(encoding="utf-8"), re.MULTILINE)[1],
    options={"build": {"build_base": made}, "egg_info": {"egg_base": made}},
)
