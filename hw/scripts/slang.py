#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""slang's checks of SystemVerilog files, by its Python module (PyPI pyslang). Arguments are those of the program slang.

  slang.py --top tsr_top -Ihw/rtl/common tsr_pkg.sv hw/rtl/tsr_top.sv ...
  slang.py --version

Exit status 0: no error and no warning; 1: some, which are printed."""

import shlex
import sys
from importlib.metadata import version

from pyslang.driver import Driver


def main():
    if sys.argv[1:] == ["--version"]:
        print("slang", version("pyslang"))
        return 0
    driver = Driver()
    driver.addStandardArgs()
    if not (driver.parseCommandLine(shlex.join(["slang", "-Werror", *sys.argv[1:]])) and driver.processOptions() and driver.parseAllSources()):
        return 1
    parsed = driver.reportParseDiags()
    driver.reportCompilation(driver.createCompilation(), quiet=True)
    return 0 if driver.reportDiagnostics(quiet=True) and parsed else 1


if __name__ == "__main__":
    sys.exit(main())
