"""The compiled loops: each `.pyx` of `simdup/kernels` is a module for Python 3.11 and later.

With SIMDUP_DEBUG set, they check the indexes of arrays.
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

DEBUG = bool(os.environ.get("SIMDUP_DEBUG"))
# The stable ABI: one wheel for all versions of Python, but those without a global lock.
LIMITED = not sysconfig.get_config_var("Py_GIL_DISABLED")
MACROS = [("Py_LIMITED_API", "0x030B0000"), ("CYTHON_LIMITED_API", "1")] if LIMITED else []
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": DEBUG,
}

# Python's own flags ask for debugging symbols, which are three quarters of a module.
FLAGS = [] if sys.platform == "win32" else ["-g0"]
if FLAGS and DEBUG:
    FLAGS.append("-O0")  # half the time of a build, and nobody measures it


class BuildExt(build_ext):
    """Compiles what a checkout lacks: an installation with other extras takes what is there."""

    def build_extension(self, ext):
        """Compile a module, unless it is newer than its sources."""
        path = self.get_ext_filename(ext.name)
        if self.force or not self.editable_mode or newer_group([*ext.sources, "setup.py"], path):
            super().build_extension(ext)
        else:
            shutil.copy2(path, self.get_ext_fullpath(ext.name))


modules = [
    Extension(
        f"simdup.kernels.{path.stem}",
        [str(path)],
        define_macros=MACROS,
        extra_compile_args=FLAGS,
        py_limited_api=LIMITED,
    )
    for path in sorted(Path("simdup/kernels").glob("*.pyx"))
]
written = Path("build/debug" if DEBUG else "build/cython")
# Time stamps do not tell a build from one of the other kind.
force = DEBUG or Path("build/debug").exists()
options = {"build_ext": {"force": force, "parallel": os.cpu_count()}}
if LIMITED:
    options["bdist_wheel"] = {"py_limited_api": "cp311"}
setup(
    cmdclass={"build_ext": BuildExt},
    ext_modules=cythonize(modules, build_dir=str(written), compiler_directives=DIRECTIVES),
    options=options,
)
