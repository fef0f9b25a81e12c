"""Installs the system packages that the tests need, where this may; otherwise names them and fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

PACKAGES = {"chromium": "chromium"}  # the command that a test runs: Debian's package that brings it


def main() -> None:
    missing = [package for command, package in PACKAGES.items() if shutil.which(command) is None]
    if not missing:
        return
    wanted = " ".join(missing)
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        sys.exit(f"The tests need {wanted}. Install it, for example: sudo apt-get install {wanted}")
    print(f"Installing {wanted}", flush=True)
    subprocess.run(["apt-get", "update", "-qq"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )


if __name__ == "__main__":
    main()
