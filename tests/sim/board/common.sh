# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the tests of cross-built programs: installs packages that scripts/setup.sh does not, and builds.
say() { printf '%s: %s\n' "$(basename "$0")" "$*"; }
die() { say "$*"; exit 1; }

# need COMMAND PACKAGE: installs PACKAGE when COMMAND is missing. These are too heavy for scripts/setup.sh.
need() {
  command -v "$1" >/dev/null && return
  [ "$(id -u)" = 0 ] || die "$1 is missing: install $2 (apt-get install $2), or run this as root once"
  say "installing $2"
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$2" >/dev/null ||
    die "$2 cannot be installed: is there a network, and does /etc/apt name a Debian 12 mirror?"
}

# cross ARCH TARGET...: builds the targets with the preset board-ARCH.
cross() {
  local arch=$1; shift
  case $arch in
    armhf) need arm-linux-gnueabihf-g++ g++-arm-linux-gnueabihf ;;
    arm64) need aarch64-linux-gnu-g++ g++-aarch64-linux-gnu ;;
    *) die "$arch: give armhf or arm64" ;;
  esac
  local log=build-$arch/cross.log
  mkdir -p "build-$arch"
  say "cross-building $* for $arch; the first time takes minutes, $log has the log"
  { cmake --preset "board-$arch" -DTESSERA_HOST_BUILD="$build" && cmake --build "build-$arch" --target "$@"; } >"$log" 2>&1 ||
    { tail -n 20 "$log"; die "the build failed: the lines above say why"; }
}

# first_images N OUT: the first N test images of Fashion-MNIST as a plain IDX file, which boards read.
first_images() {
  python3 - "$1" "$2" <<'EOF'
import gzip, struct, sys
count = int(sys.argv[1])
with gzip.open("/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz") as images, open(sys.argv[2], "wb") as out:
    images.read(16)
    out.write(struct.pack(">IIII", 0x803, count, 28, 28) + images.read(count * 784))
EOF
}
