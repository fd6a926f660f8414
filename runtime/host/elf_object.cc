// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/elf_object.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace tessera {
namespace {

constexpr uint64_t kMaxSectionBytes = uint64_t{1} << 28;

// The |size| bytes at |offset|, if inside |bytes|.
Result<std::span<const uint8_t>> Part(std::span<const uint8_t> bytes, uint64_t offset,
                                      uint64_t size, std::string_view what) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    return Fail(Code::kDataLoss, "host code: {} lies outside the object of {} bytes", what,
                bytes.size());
  }
  return bytes.subspan(offset, size);
}

template <typename T>
T At(std::span<const uint8_t> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof value);
  return value;
}

// The text at |offset| of a string table; the text must end inside the table.
Result<std::string> TextAt(std::span<const uint8_t> table, uint64_t offset) {
  if (offset >= table.size())
    return Fail(Code::kDataLoss, "host code: a name lies outside its table");
  const auto begin = table.begin() + static_cast<int64_t>(offset);
  const auto end = std::find(begin, table.end(), 0);
  if (end == table.end()) return Fail(Code::kDataLoss, "host code: a name has no end");
  return std::string(begin, end);
}

// The structures of an ELF file: of 64 bits (addends in the table) or of 32 bits.
template <typename HeaderT, typename SectionT, typename SymbolT, typename RelocationT, bool kWide>
struct ElfFormat {
  using RawHeader = HeaderT;
  using RawSection = SectionT;
  using RawSymbol = SymbolT;
  using RawRelocation = RelocationT;
  static constexpr uint32_t kRelocations = kWide ? SHT_RELA : SHT_REL;
  static uint32_t TypeOf(const RelocationT& r) {
    return static_cast<uint32_t>(kWide ? ELF64_R_TYPE(r.r_info) : ELF32_R_TYPE(r.r_info));
  }
  static uint32_t SymbolOf(const RelocationT& r) {
    const uint64_t info = r.r_info;
    return static_cast<uint32_t>(kWide ? ELF64_R_SYM(info) : ELF32_R_SYM(info));
  }
  static int64_t AddendOf(const RelocationT& r) {
    if constexpr (kWide) return r.r_addend;
    return 0;
  }
};
using WideElf = ElfFormat<Elf64_Ehdr, Elf64_Shdr, Elf64_Sym, Elf64_Rela, true>;
using NarrowElf = ElfFormat<Elf32_Ehdr, Elf32_Shdr, Elf32_Sym, Elf32_Rel, false>;

template <typename Elf>
Status CheckHeader(const typename Elf::RawHeader& header, const HostArchitecture& architecture) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return Fail(Code::kInvalidArgument, "host code: is not an ELF object");
  if (header.e_ident[EI_CLASS] != (architecture.wide ? ELFCLASS64 : ELFCLASS32) ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL) {
    return Fail(Code::kInvalidArgument,
                "host code: is not a little-endian {}-bit relocatable object",
                architecture.wide ? 64 : 32);
  }
  if (header.e_machine != architecture.machine) {
    return Fail(Code::kUnsupported, "host code: is for ELF machine {}; this loader takes {} ({})",
                header.e_machine, architecture.name, architecture.machine);
  }
  if (header.e_shentsize != sizeof(typename Elf::RawSection) || header.e_shnum == 0 ||
      header.e_shstrndx >= header.e_shnum) {
    return Fail(Code::kInvalidArgument, "host code: its section table is malformed");
  }
  return {};
}

template <typename Elf>
Status ReadSections(std::span<const uint8_t> bytes, const typename Elf::RawHeader& header,
                    ElfObject& object) {
  TESSERA_ASSIGN(const auto table, Part(bytes, header.e_shoff,
                                        uint64_t{header.e_shnum} * sizeof(typename Elf::RawSection),
                                        "the section table"));
  const auto names_header = At<typename Elf::RawSection>(table, header.e_shstrndx);
  TESSERA_ASSIGN(const auto names, Part(bytes, names_header.sh_offset, names_header.sh_size,
                                        "the names of sections"));
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const auto raw = At<typename Elf::RawSection>(table, i);
    ElfSection section;
    if (i > 0) {  // entry 0 is not a section
      TESSERA_ASSIGN(section.name, TextAt(names, raw.sh_name));
      section.type = raw.sh_type;
      section.flags = raw.sh_flags;
      section.align = std::max<uint64_t>(raw.sh_addralign, 1);
      section.size = raw.sh_size;
      section.link = raw.sh_link;
      section.info = raw.sh_info;
      if (!std::has_single_bit(section.align) || section.align > 4096 ||
          section.size > kMaxSectionBytes) {
        return Fail(Code::kInvalidArgument, "host code: section {} has {} bytes, alignment {}",
                    section.name, section.size, section.align);
      }
      if (section.type != SHT_NOBITS && section.type != SHT_NULL) {
        TESSERA_ASSIGN(section.data,
                       Part(bytes, raw.sh_offset, raw.sh_size, "section " + section.name));
      }
    }
    object.sections.push_back(std::move(section));
  }
  return {};
}

template <typename Elf>
Status ReadSymbols(const ElfSection& table, ElfObject& object) {
  if (table.link >= object.sections.size())
    return Fail(Code::kInvalidArgument, "host code: the symbols have no names");
  const std::span<const uint8_t> names = object.sections[table.link].data;
  for (size_t i = 0; i < table.data.size() / sizeof(typename Elf::RawSymbol); ++i) {
    const auto raw = At<typename Elf::RawSymbol>(table.data, i);
    ElfSymbol symbol;
    if (raw.st_name != 0) {
      TESSERA_ASSIGN(symbol.name, TextAt(names, raw.st_name));
    }
    symbol.bind = ELF64_ST_BIND(raw.st_info);
    symbol.type = ELF64_ST_TYPE(raw.st_info);
    symbol.section = raw.st_shndx;
    symbol.value = raw.st_value;
    if (symbol.section < SHN_LORESERVE && symbol.section >= object.sections.size()) {
      return Fail(Code::kInvalidArgument, "host code: symbol {} is in section {} of {}",
                  symbol.name, symbol.section, object.sections.size());
    }
    object.symbols.push_back(std::move(symbol));
  }
  return {};
}

template <typename Elf>
Status ReadRelocations(const ElfSection& table, uint32_t symbols, ElfObject& object) {
  if (table.info >= object.sections.size()) {
    return Fail(Code::kInvalidArgument, "host code: {} patches section {} of {}", table.name,
                table.info, object.sections.size());
  }
  if (!(object.sections[table.info].flags & SHF_ALLOC)) return {};  // patches a debugging section
  if (table.type != Elf::kRelocations || table.link != symbols) {
    return Fail(Code::kInvalidArgument,
                "host code: {} is not a table with{} addends over the symbols", table.name,
                Elf::kRelocations == SHT_RELA ? "" : "out");
  }
  for (size_t i = 0; i < table.data.size() / sizeof(typename Elf::RawRelocation); ++i) {
    const auto raw = At<typename Elf::RawRelocation>(table.data, i);
    const ElfRelocation r{table.info, raw.r_offset, Elf::TypeOf(raw), Elf::SymbolOf(raw),
                          Elf::AddendOf(raw)};
    if (r.symbol >= object.symbols.size()) {
      return Fail(Code::kInvalidArgument, "host code: a relocation names symbol {} of {}", r.symbol,
                  object.symbols.size());
    }
    object.relocations.push_back(r);
  }
  return {};
}

template <typename Elf>
Result<ElfObject> Read(std::span<const uint8_t> bytes, const HostArchitecture& architecture) {
  if (bytes.size() < sizeof(typename Elf::RawHeader))
    return Fail(Code::kDataLoss, "host code: {} bytes are too few for an object", bytes.size());
  const auto header = At<typename Elf::RawHeader>(bytes, 0);
  TESSERA_TRY(CheckHeader<Elf>(header, architecture));
  ElfObject object;
  TESSERA_TRY(ReadSections<Elf>(bytes, header, object));
  uint32_t symbols = 0;
  for (uint32_t i = 1; i < object.sections.size(); ++i) {
    if (object.sections[i].type != SHT_SYMTAB) continue;
    if (symbols != 0) return Fail(Code::kInvalidArgument, "host code: has two symbol tables");
    symbols = i;
    TESSERA_TRY(ReadSymbols<Elf>(object.sections[i], object));
  }
  for (uint32_t i = 1; i < object.sections.size(); ++i) {
    const ElfSection& section = object.sections[i];
    if (section.type == SHT_RELA || section.type == SHT_REL)
      TESSERA_TRY(ReadRelocations<Elf>(section, symbols, object));
  }
  return object;
}

}  // namespace

Result<ElfObject> ReadElf(std::span<const uint8_t> bytes, const HostArchitecture& architecture) {
  return architecture.wide ? Read<WideElf>(bytes, architecture)
                           : Read<NarrowElf>(bytes, architecture);
}

}  // namespace tessera
