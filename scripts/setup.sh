# SPDX-License-Identifier: Apache-2.0
#
# Sourced by run.sh and test.sh: installs the missing packages and builds. Repeats no work.
#
#   tessera_setup           installs packages
#   tessera_build [TARGET]  configures the preset $TESSERA_PRESET (default: release), builds TARGET
#                           (default: everything)
#
# TESSERA_SKIP_SETUP=1 skips the packages, for other distributions; install the same packages there.

TESSERA_PACKAGES=(
  # tools
  g++ make cmake ninja-build ccache git pkg-config ca-certificates clang-format clang lld libclang-rt-14-dev python3-clang-14 tcl device-tree-compiler xilinx-bootgen openssh-server openssh-client
  # host code for boards, which tests run
  g++-arm-linux-gnueabihf g++-aarch64-linux-gnu qemu-user-static
  # hardware
  verilator libsystemc-dev python3 python3-venv
  # libraries
  libfmt-dev nlohmann-json3-dev libcli11-dev libboost-dev libgtest-dev libgmock-dev zlib1g-dev libzip-dev libpng-dev libturbojpeg0-dev libcairo2-dev
  libonnx-dev libprotobuf-dev protobuf-compiler libflatbuffers-dev flatbuffers-compiler llvm-19-dev
  # kernels through OpenCL on the processor, which tests run
  pocl-opencl-icd ocl-icd-libopencl1
  # cards through XRT; optional
  libxrt-dev uuid-dev
  # a cluster of three nodes for tests
  slurmctld slurmd slurm-client munge
  # line editing of `tessera debug`; optional
  libedit-dev
  # shows the page of `tessera trace --html` in a test; without it the test reports a skip
  chromium
  # the peer of bench/host_layers; optional
  libdnnl-dev
  # the learned model of `tessera tune`; optional
  libxgboost-dev
  # the allocator of the compiler and of searches; optional
  libjemalloc-dev
  # data, and the makers of models with seeded weights
  dataset-fashion-mnist python3-onnx python3-numpy libonnx-testdata
)

say() { printf '%s\n' "tessera: $*" >&2; }
die() { say "$*"; exit 1; }

tessera_check_system() {
  [ -n "${TESSERA_SKIP_SETUP:-}" ] && return
  local id="" version=""
  [ -r /etc/os-release ] && id=$(. /etc/os-release; echo "${ID:-}") && version=$(. /etc/os-release; echo "${VERSION_ID:-}")
  if [ "$id" != debian ] || [ "$version" != 12 ]; then
    die "this is ${id:-an unknown system} ${version}; packages are set up for Debian 12 only. Install the packages listed in" \
        "scripts/setup.sh by your own means and set TESSERA_SKIP_SETUP=1."
  fi
}

# Free space in MiB on the file system of directory $1.
free_mib() { df -Pm "$1" | awk 'NR == 2 {print $4}'; }

tessera_setup() {
  tessera_check_system
  [ -n "${TESSERA_SKIP_SETUP:-}" ] && return
  local missing=() name
  for name in "${TESSERA_PACKAGES[@]}"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "packages are missing (${missing[*]}) and installing needs root: run as root or install sudo."
    as_root=(sudo)
  fi
  [ "$(free_mib /usr)" -ge 2500 ] || die "installing needs about 2.5 GB free under /usr; there are $(free_mib /usr) MiB."
  say "installing ${#missing[@]} packages: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! "${as_root[@]}" apt-get update >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    die "'apt-get update' failed: is there a network, and does /etc/apt name a Debian mirror? Full log: $log"
  fi
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    die "'apt-get install' failed: is there a network, and does /etc/apt name a Debian 12 mirror? Full log: $log"
  fi
  rm -f "$log"
  # One test needs sshd and starts its own; the system's service stays off.
  case " ${missing[*]} " in *" openssh-server "*) "${as_root[@]}" systemctl disable --now ssh >/dev/null 2>&1 || true ;; esac
}

tessera_build() {
  local preset=${TESSERA_PRESET:-release}
  [ "$(free_mib .)" -ge 2000 ] || die "the build needs about 2 GB free here; there are $(free_mib .) MiB."
  local dir=build
  case $preset in dev | asan | single-file) dir=build-$preset ;; esac
  TESSERA_BUILD=$dir
  # Shows the log of a configure run only if it failed. ninja reconfigures by itself when a list of
  # files changes.
  if [ ! -f "$dir/build.ninja" ]; then
    say "configuring ($preset)"
    local log
    log=$(mktemp)
    cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; die "configuring failed: the lines above say what is missing. Next: install it (the list of" \
        "packages is in scripts/setup.sh), rm -rf $dir, and run this again."; }
    rm -f "$log"
  fi
  local target=${1:-all}
  say "building $target ($preset); the first time takes minutes"
  if ! cmake --build "$dir" --target "$target" >&2; then
    say "the build failed: the first line above that begins with 'FAILED:' names what, the lines after it say why."
    say "Next: cmake --build $dir --target $target -- -j 1   stops at that error alone (and needs less memory, if a line"
    die "      above says 'Killed'); rm -rf $dir   begins anew after packages have changed."
  fi
}
