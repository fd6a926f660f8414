#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gets the four MLPerf Tiny networks from mlcommons/tiny into a folder and checks them. Needs Python alone.

  python3 get.py FOLDER           downloads what FOLDER lacks, checks every file
  python3 get.py --list           says where the files come from, and their checksums
  python3 get.py --check FOLDER   checks what is there; needs no network

Then: TESSERA_MODELS=FOLDER ctest --test-dir build -R mlperf
"""

import argparse
import urllib.error
import urllib.request
from pathlib import Path

from networks import NETWORKS, SOURCE, checked, read


def download(network):
    url = SOURCE + network.folder + "/" + network.file
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return checked(network, answer.read(network.bytes + 1))
    except (urllib.error.URLError, OSError) as error:
        reason = getattr(error, "reason", error)
        raise SystemExit(f"cannot download {url}: {reason}\nWithout network: take the files of --list from a clone of "
                         "mlcommons/tiny on another machine, then run get.py --check FOLDER") from error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="where the files go")
    parser.add_argument("--list", action="store_true", help="print addresses and checksums")
    parser.add_argument("--check", action="store_true", help="download nothing")
    arguments = parser.parse_args()
    if arguments.list:
        for network in NETWORKS:
            print(f"{network.sha256}  {network.bytes:7}  {SOURCE}{network.folder}/{network.file}")
        return
    if arguments.folder is None:
        parser.error("name a folder, or use --list")
    for network in NETWORKS:
        path = arguments.folder / network.file
        if arguments.check or path.exists():
            read(network, arguments.folder)
        else:
            content = download(network)
            arguments.folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        print(f"{path}: ok")


if __name__ == "__main__":
    main()
