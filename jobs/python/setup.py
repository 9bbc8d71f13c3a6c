"""The package has the version of the program, which VERSION says: a copy of this folder installs, too. What a build makes
on its way stays out of this folder."""

import atexit
import pathlib
import shutil
import tempfile

import setuptools

version = (pathlib.Path(__file__).resolve().parent / "VERSION").read_text(encoding="utf-8").strip()
made = tempfile.mkdtemp(prefix="hebatch-build-")
atexit.register(shutil.rmtree, made, ignore_errors=True)
setuptools.setup(
    version=version,
    options={"build": {"build_base": made}, "egg_info": {"egg_base": made}},
)
