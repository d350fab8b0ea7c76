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

    def build_extensions(self):
        """Compile the modules that are not newer than their sources."""
        every = self.extensions
        self.extensions = [ext for ext in every if not self.take(ext)]
        made = cythonize(self.extensions, build_dir=WRITTEN, compiler_directives=DIRECTIVES)
        written = {one.name: one.sources for one in made}
        for ext in self.extensions:
            ext.sources = written[ext.name]
        super().build_extensions()
        self.extensions = every

    def take(self, ext):
        """Take a module of the checkout, if it is up to date; say whether it is."""
        path = self.get_ext_filename(ext.name)
        made_of = [*ext.sources, *ext.depends, "setup.py"]
        if self.force or not self.editable_mode or newer_group(made_of, path):
            return False
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
        return True


modules = [
    Extension(
        f"simdup.kernels.{path.stem}",
        [str(path)],
        depends=["simdup/kernels/arrays.pxd"],
        define_macros=MACROS,
        extra_compile_args=FLAGS,
        py_limited_api=LIMITED,
    )
    for path in sorted(Path("simdup/kernels").glob("*.pyx"))
]
WRITTEN = "build/debug" if DEBUG else "build/cython"
# Time stamps do not tell a build from one of the other kind.
force = DEBUG or Path("build/debug").exists()
options = {"build_ext": {"force": force, "parallel": os.cpu_count()}}
if LIMITED:
    options["bdist_wheel"] = {"py_limited_api": "cp311"}
setup(
    cmdclass={"build_ext": BuildExt},
    ext_modules=modules,
    options=options,
)
