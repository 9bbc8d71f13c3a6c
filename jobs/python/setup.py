"""The package has the version of the program: that which CHANGELOG.md begins with, here and where both are installed."""

import pathlib
import re

import setuptools

changes = pathlib.Path(__file__).resolve().parents[2] / "CHANGELOG.md"
setuptools.setup(version=re.search(r"^## ([0-9.]+)", changes.read_text(encoding="utf-8"), re.MULTILINE)[1])
