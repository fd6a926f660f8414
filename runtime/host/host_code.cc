// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/host_code.h"

#include <elf.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <ranges>
#include <vector>

#include "base/bits.h"
#include "runtime/host/architecture.h"
#include "runtime/host/elf_object.h"

namespace tessera {
namespace {

constexpr uint64_t kMaxImageBytes = uint64_t{1} << 30;  // so that 32-bit distances reach everywhere
constexpr uint64_t kStubBytes = 16;
constexpr uint64_t kAddressBytes = sizeof(void*);

// The number of both SHT_X86_64_UNWIND and SHT_ARM_EXIDX.
constexpr uint32_t kUnwindTable = 0x70000001;

// The parts of the image, in this order; each begins a page.
enum Part : int { kText, kReadOnly, kWritable, kParts };

// The part for |section|; kParts if the loader does not load it.
Result<int> PartOf(const ElfSection& section) {
  if (!(section.flags & SHF_ALLOC) || section.size == 0) return kParts;
  // Notes and unwind tables, which nothing here reads.
  if (section.type == SHT_NOTE || section.type == kUnwindTable ||
      section.name.starts_with(".eh_frame"))
    return kParts;
  const bool writes = section.flags & SHF_WRITE, runs = section.flags & SHF_EXECINSTR;
  const bool plain = section.type == SHT_PROGBITS || section.type == SHT_NOBITS;
  if (!plain || (section.flags & (SHF_TLS | SHF_COMPRESSED)) || (writes && runs) ||
      (runs && section.type == SHT_NOBITS)) {
    return Fail(Code::kUnsupported, "host code: section {} (type {}, flags {:#x}) cannot be loaded",
                section.name, section.type, section.flags);
  }
  if (runs) return kText;
  return writes && !section.name.starts_with(".data.rel.ro") ? kWritable : kReadOnly;
}

class Loader {
 public:
  Loader(const ElfObject& object, const HostArchitecture& architecture)
      : object_(object), architecture_(architecture), externals_(HostExternals()) {}

  Status Load() {
    Externals();
    TESSERA_TRY(Place());
    TESSERA_ASSIGN(memory_, Mapping::Make(part_end_[kParts - 1]));
    for (size_t i = 0; i < object_.sections.size(); ++i) {
      const ElfSection& section = object_.sections[i];
      if (offset_[i] && !section.data.empty())
        std::memcpy(memory_.data() + *offset_[i], section.data.data(), section.data.size());
    }
    for (size_t i = 0; i < externals_.size(); ++i) {
      uint8_t* stub = memory_.data() + stubs_ + i * kStubBytes;
      std::ranges::copy(architecture_.jump, stub);
      std::memcpy(stub + architecture_.jump.size(), &externals_[i].address, kAddressBytes);
    }
    for (const ElfRelocation& r : object_.relocations) TESSERA_TRY(Relocate(r));
    const size_t text_end = part_end_[kText], read_end = part_end_[kReadOnly];
    auto* text = reinterpret_cast<char*>(memory_.data());
    __builtin___clear_cache(text, text + text_end);  // Arm: the processor must fetch the new code
    TESSERA_TRY(memory_.Protect(0, text_end, Mapping::Protection::kReadExecute));
    return memory_.Protect(text_end, read_end - text_end, Mapping::Protection::kRead);
  }

  std::map<std::string, uint64_t> Kernels() const {
    std::map<std::string, uint64_t> kernels;
    for (const ElfSymbol& s : object_.symbols) {
      if (s.type != STT_FUNC || s.bind == STB_LOCAL || !Defined(s)) continue;
      const ElfSection& section = object_.sections[s.section];
      if ((section.flags & SHF_EXECINSTR) && s.value < section.size)
        kernels[s.name] = *offset_[s.section] + s.value;
    }
    return kernels;
  }

  Mapping TakeMemory() { return std::move(memory_); }

 private:
  bool Defined(const ElfSymbol& s) const {
    return s.section != SHN_UNDEF && s.section < SHN_LORESERVE && offset_[s.section];
  }

  // Finds the external of each symbol from outside. An unknown symbol matters only if something
  // uses it.
  void Externals() {
    external_.resize(object_.symbols.size(), -1);
    for (size_t i = 1; i < object_.symbols.size(); ++i) {
      const ElfSymbol& s = object_.symbols[i];
      const auto found = std::ranges::find(externals_, s.name, &HostExternal::name);
      if (s.section == SHN_UNDEF && found != externals_.end())
        external_[i] = static_cast<int>(found - externals_.begin());
    }
  }

  // Gives an offset to every loaded section, to the stubs and to the table of addresses.
  Status Place() {
    offset_.resize(object_.sections.size());
    std::vector<int> part(object_.sections.size());
    for (size_t i = 0; i < part.size(); ++i) {
      TESSERA_ASSIGN(part[i], PartOf(object_.sections[i]));
    }
    uint64_t at = 0;
    for (int p = 0; p < kParts; ++p) {
      for (size_t i = 0; i < part.size(); ++i) {
        if (part[i] != p) continue;
        at = (at + object_.sections[i].align - 1) & ~(object_.sections[i].align - 1);
        offset_[i] = at;
        at += object_.sections[i].size;
        if (at > kMaxImageBytes)
          return Fail(Code::kInvalidArgument, "host code: is larger than {} bytes", kMaxImageBytes);
      }
      at = static_cast<uint64_t>(RoundUp(static_cast<int64_t>(at), 16));
      if (p == kText) {
        stubs_ = at;
        at += kStubBytes * externals_.size();
      } else if (p == kReadOnly) {
        got_ = at;
        at += kAddressBytes * object_.symbols.size();
      }
      at = static_cast<uint64_t>(
          RoundUp(static_cast<int64_t>(at), static_cast<int64_t>(Mapping::PageBytes())));
      part_end_[p] = at;
    }
    return {};
  }

  uint64_t Base() const { return reinterpret_cast<uintptr_t>(memory_.data()); }

  // The address of the symbol. |near|: that of an external's stub, which short distances reach.
  Result<uint64_t> AddressOf(uint32_t index, bool near) const {
    const ElfSymbol& s = object_.symbols[index];
    if (external_[index] >= 0) {
      const auto e = static_cast<size_t>(external_[index]);
      return near ? Base() + stubs_ + e * kStubBytes : externals_[e].address;
    }
    if (s.section == SHN_UNDEF) {
      return Fail(Code::kUnsupported, "host code: needs '{}' from outside; only {} are there",
                  s.name, fmt::join(std::views::transform(externals_, &HostExternal::name), ", "));
    }
    if (!Defined(s) || s.type == STT_GNU_IFUNC || s.type == STT_TLS ||
        s.value > object_.sections[s.section].size) {
      return Fail(Code::kUnsupported,
                  "host code: symbol {} '{}' is not in a section that is loaded", index, s.name);
    }
    return Base() + *offset_[s.section] + s.value;
  }

  Status Relocate(const ElfRelocation& r) {
    if (!offset_[r.section]) return {};  // a section that is not loaded
    const ElfSection& section = object_.sections[r.section];
    const RelocationKind kind = architecture_.kind(r.type);
    if (kind.wants == RelocationWants::kUnknown) {
      return Fail(
          Code::kUnsupported,
          "host code: relocation type {} in section {}; compile it as position-independent code",
          r.type, section.name);
    }
    if (r.offset > section.data.size() || section.data.size() - r.offset < kind.bytes) {
      return Fail(Code::kInvalidArgument, "host code: a relocation at {} lies outside section {}",
                  r.offset, section.name);
    }
    if (kind.wants == RelocationWants::kNothing) return {};
    const uint64_t at = *offset_[r.section] + r.offset;
    uint8_t* place = memory_.data() + at;
    TESSERA_ASSIGN(uint64_t target,
                   AddressOf(r.symbol, /*near=*/kind.wants == RelocationWants::kNear));
    if (kind.wants == RelocationWants::kSlot) {
      const uint64_t slot = got_ + kAddressBytes * r.symbol;
      std::memcpy(memory_.data() + slot, &target, kAddressBytes);
      target = Base() + slot;
    }
    const int64_t addend = architecture_.wide ? r.addend : architecture_.addend(r.type, place);
    target += static_cast<uint64_t>(addend);
    if (architecture_.patch(r.type, place, Base() + at, target)) return {};
    return Fail(Code::kInvalidArgument,
                "host code: a relocation at {} in section {} does not reach its target", r.offset,
                section.name);
  }

  const ElfObject& object_;
  const HostArchitecture& architecture_;
  std::span<const HostExternal> externals_;
  std::vector<int> external_;                    // for each symbol: index into externals_, or -1
  std::vector<std::optional<uint64_t>> offset_;  // for each section: its offset in memory_
  std::array<uint64_t, kParts> part_end_{};
  uint64_t stubs_ = 0, got_ = 0;
  Mapping memory_;
};

}  // namespace

Result<HostCode> HostCode::Load(std::span<const uint8_t> bytes) {
  const HostArchitecture* architecture = ThisArchitecture();
  if (architecture == nullptr) {
    return Fail(Code::kUnsupported,
                "host code: this loader runs on x86-64, 64-bit Arm and 32-bit Arm");
  }
  TESSERA_ASSIGN(const ElfObject object, ReadElf(bytes, *architecture));
  Loader loader(object, *architecture);
  TESSERA_TRY(loader.Load());
  HostCode code;
  code.kernels_ = loader.Kernels();
  code.memory_ = loader.TakeMemory();
  return code;
}

Result<HostKernel> HostCode::Find(const std::string& symbol) const {
  const auto found = kernels_.find(symbol);
  if (found == kernels_.end())
    return Fail(Code::kNotFound, "host code: has no kernel '{}'", symbol);
  return reinterpret_cast<HostKernel>(memory_.data() + found->second);
}

}  // namespace tessera
