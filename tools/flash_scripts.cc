// SPDX-License-Identifier: Apache-2.0
#include "tools/flash_scripts.h"

#include <fmt/format.h>

#include "isa/regs.h"
#include "tools/flash_host.h"

namespace tessera::tools {
namespace {

// Names of a description are plain (ReadBoard), so they need no quotes; $R may have blanks.
std::string Preamble(const BoardDescription& b) {
  return fmt::format(
      "m=$R/sys/class/fpga_manager/fpga0 f=$R/lib/firmware stem={} uio={}\n"
      "tree=$R/sys/kernel/config/device-tree/overlays\n"
      "die() {{ echo \"$*\" >&2; exit 3; }}\n"
      // The UIO device of the registers, "" if there is none.
      "device() {{\n"
      "  for d in \"$R\"/sys/class/uio/uio*; do\n"
      "    [ \"$(cat \"$d/name\" 2>/dev/null)\" = \"$uio\" ] && echo \"${{d##*/}}\" && return\n"
      "  done\n"
      "}}\n",
      b.firmware, b.uio);
}

constexpr const char* kDetach =
    "if [ -d \"$tree/tessera\" ]; then\n"
    "  rmdir \"$tree/tessera\" || die \"the overlay of before cannot be taken off\"\n"
    "fi\n";

}  // namespace

std::string LookScript(const BoardDescription& b, uint64_t kib) {
  return Preamble(b) +
         fmt::format(
             "[ -d \"$m\" ] || die \"there is no /sys/class/fpga_manager/fpga0: this kernel has no "
             "FPGA manager, or this is no board\"\n"
             "for x in flags firmware; do\n"
             "  [ -w \"$m/$x\" ] || die \"no permission to write $m/$x: be root, or --sudo\"\n"
             "done\n"
             "[ -d \"$f\" ] && [ -w \"$f\" ] || die \"no permission to write /lib/firmware\"\n"
             "free=$(df -Pk \"$f\" | awk 'NR == 2 {{print $4}}')\n"
             "[ \"$free\" -ge {0} ] || die \"/lib/firmware has $free KiB free, {0} are needed\"\n"
             "command -v python3 >/dev/null || command -v devmem >/dev/null || "
             "die \"neither python3 nor devmem is there to read the identity registers with\"\n"
             "d=$(device)\n"
             "if [ -n \"$d\" ]; then\n"
             "  who=$(grep -l \"/dev/$d\" \"$R\"/proc/[0-9]*/maps 2>/dev/null | head -n 1)\n"
             "  [ -z \"$who\" ] || {{ who=${{who%/maps}}; die \"process ${{who##*/}} uses the "
             "machine: "
             "end it first\"; }}\n"
             "fi\n"
             "read -r name < \"$m/name\" || name=unknown\n"
             "echo \"manager $name\"\n"
             "before=-\n"
             "if [ -f \"$f/tessera.loaded\" ]; then\n"
             "  read -r boot was sum < \"$f/tessera.loaded\"\n"
             "  read -r now < \"$R/proc/sys/kernel/random/boot_id\"\n"
             "  case $was in *[!A-Za-z0-9._-]*) was= ;; esac\n"
             "  file=$f/$was.bin\n"
             "  [ -f \"$file.before\" ] && file=$file.before\n"
             "  if [ -n \"$was\" ] && [ \"$boot\" = \"$now\" ] && [ -f \"$file\" ] &&\n"
             "     [ \"$(cksum < \"$file\" | tr ' ' -)\" = \"$sum\" ]; then before=$was; fi\n"
             "fi\n"
             "echo \"before $before\"\n"
             "if [ -d \"$tree\" ]; then echo configfs yes; else echo configfs no; fi\n",
             kib);
}

std::string UploadScript(const BoardDescription& b, const std::string& ending) {
  return Preamble(b) +
         fmt::format(
             "cat > \"$f/$stem{0}.new\" || die \"/lib/firmware/$stem{0}.new cannot be "
             "written\"\n"
             "cksum < \"$f/$stem{0}.new\"\n",
             ending);
}

std::string DropScript(const BoardDescription& b) {
  return Preamble(b) + "rm -f \"$f/$stem.bin.new\" \"$f/$stem.dtbo.new\"\n";
}

std::string DetachScript(const BoardDescription& b) { return Preamble(b) + kDetach; }

std::string SwapScript(const BoardDescription& b) {
  return Preamble(b) +
         "for x in bin dtbo; do\n"
         "  if [ -f \"$f/$stem.$x\" ] && [ ! -f \"$f/$stem.$x.before\" ]; then\n"
         "    mv \"$f/$stem.$x\" \"$f/$stem.$x.before\" || die \"/lib/firmware/$stem.$x cannot be "
         "moved\"\n"
         "  fi\n"
         "  rm -f \"$f/$stem.$x\"\n"
         "  if [ -f \"$f/$stem.$x.new\" ]; then\n"
         "    mv \"$f/$stem.$x.new\" \"$f/$stem.$x\" || die \"/lib/firmware/$stem.$x.new cannot be "
         "moved\"\n"
         "  fi\n"
         "done\n"
         "sync\n";
}

std::string AttachScript(const BoardDescription& b, const std::string& stem) {
  return Preamble(b) +
         fmt::format(
             "if [ -d \"$tree\" ] && [ -f \"$f/{0}.dtbo\" ]; then\n"
             "  mkdir \"$tree/tessera\" || die \"configfs takes no overlay\"\n"
             "  cat \"$f/{0}.dtbo\" > \"$tree/tessera/dtbo\" || die \"the kernel refuses the "
             "overlay "
             "{0}.dtbo; dmesg says why\"\n"
             "  n=0\n"
             "  while [ -z \"$(device)\" ] && [ $n -lt 50 ]; do sleep 0.1; n=$((n + 1)); done\n"
             "  [ -n \"$(device)\" ] || die \"the overlay is in, but after 5 seconds no UIO device "
             "is "
             "named $uio: is uio_pdrv_genirq.of_id=generic-uio in the kernel's arguments?\"\n"
             "fi\n",
             stem);
}

std::string IdentityScript(const BoardDescription& b) {
  return Preamble(b) +
         fmt::format(
             "d=$(device) at=0\n"
             "if [ -n \"$d\" ]; then d=$R/dev/$d; else d=$R/dev/mem at=0x{0:x}; fi\n"
             "if command -v python3 >/dev/null; then\n"
             "  timeout 10 python3 -c 'import ctypes, mmap, os, sys\n"
             "f = os.open(sys.argv[1], os.O_RDWR | os.O_SYNC)\n"
             "m = mmap.mmap(f, 4096, offset=int(sys.argv[2], 0))\n"
             "print(*(\"%08x\" % ctypes.c_uint32.from_buffer(m, int(o, 0)).value for o in "
             "sys.argv[3:]))' \"$d\" $at {1} {2} {3} {4}\n"
             "else\n"
             "  for o in {1} {2} {3} {4}; do\n"
             "    v=$(timeout 10 devmem $((0x{0:x} + o)) 32) || exit 3\n"
             "    printf '%s ' \"${{v#0x}}\"\n"
             "  done\n"
             "fi || die \"the identity registers cannot be read: the bus does not answer, or $d "
             "cannot be opened\"\n",
             b.register_base, isa::reg::kId, isa::reg::kVersion, isa::reg::kConfigHashLo,
             isa::reg::kConfigHashHi);
}

std::string RecordScript(const BoardDescription& b) {
  return Preamble(b) + fmt::format("board=$R{}\n", kLoadedBoard) +
         "no() { rm -f \"$board.new\"; die \"/lib/firmware/$1 cannot be written\"; }\n"
         "cat > \"$board.new\" || no \"${board##*/}\"\n"
         "read -r now < \"$R/proc/sys/kernel/random/boot_id\"\n"
         "echo \"$now $stem $(cksum < \"$f/$stem.bin\" | tr ' ' -)\" > \"$f/tessera.loaded.new\" "
         "||\n"
         "  no tessera.loaded\n"
         "mv \"$board.new\" \"$board\" &&\n"
         "  mv \"$f/tessera.loaded.new\" \"$f/tessera.loaded\" || no tessera.loaded\n"
         "rm -f \"$f/$stem.bin.before\" \"$f/$stem.dtbo.before\"\n";
}

std::string UnswapScript(const BoardDescription& b) {
  return Preamble(b) + kDetach +
         "for x in bin dtbo; do\n"
         "  rm -f \"$f/$stem.$x\" \"$f/$stem.$x.new\"\n"
         "  if [ -f \"$f/$stem.$x.before\" ]; then\n"
         "    mv \"$f/$stem.$x.before\" \"$f/$stem.$x\" || die \"/lib/firmware/$stem.$x.before "
         "cannot "
         "be moved back\"\n"
         "  fi\n"
         "done\n"
         "sync\n";
}

}  // namespace tessera::tools
