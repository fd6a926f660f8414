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

// The |size| bytes at |offset|.
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

// The text at |offset| of a string table, which must end inside it.
Result<std::string> TextAt(std::span<const uint8_t> table, uint64_t offset) {
  if (offset >= table.size())
    return Fail(Code::kDataLoss, "host code: a name lies outside its table");
  const auto begin = table.begin() + static_cast<int64_t>(offset);
  const auto end = std::find(begin, table.end(), 0);
  if (end == table.end()) return Fail(Code::kDataLoss, "host code: a name has no end");
  return std::string(begin, end);
}

Status CheckHeader(const Elf64_Ehdr& header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return Fail(Code::kInvalidArgument, "host code: is not an ELF object");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_type != ET_REL) {
    return Fail(Code::kInvalidArgument,
                "host code: is not a little-endian 64-bit relocatable object");
  }
  if (header.e_machine != EM_X86_64) {
    return Fail(Code::kUnsupported,
                "host code: is for ELF machine {}; this loader takes x86-64 ({})", header.e_machine,
                EM_X86_64);
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
      header.e_shstrndx >= header.e_shnum) {
    return Fail(Code::kInvalidArgument, "host code: its section table is malformed");
  }
  return {};
}

Status ReadSections(std::span<const uint8_t> bytes, const Elf64_Ehdr& header, ElfObject& object) {
  TESSERA_ASSIGN(const auto table,
                 Part(bytes, header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr),
                      "the section table"));
  const auto names_header = At<Elf64_Shdr>(table, header.e_shstrndx);
  TESSERA_ASSIGN(const auto names, Part(bytes, names_header.sh_offset, names_header.sh_size,
                                        "the names of sections"));
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const auto raw = At<Elf64_Shdr>(table, i);
    ElfSection section;
    if (i > 0) {  // section 0 is no section
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

Status ReadSymbols(const ElfSection& table, ElfObject& object) {
  if (table.link >= object.sections.size())
    return Fail(Code::kInvalidArgument, "host code: the symbols have no names");
  const std::span<const uint8_t> names = object.sections[table.link].data;
  for (size_t i = 0; i < table.data.size() / sizeof(Elf64_Sym); ++i) {
    const auto raw = At<Elf64_Sym>(table.data, i);
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

Status ReadRelocations(const ElfSection& table, uint32_t symbols, ElfObject& object) {
  if (table.info >= object.sections.size()) {
    return Fail(Code::kInvalidArgument, "host code: {} patches section {} of {}", table.name,
                table.info, object.sections.size());
  }
  if (!(object.sections[table.info].flags & SHF_ALLOC)) return {};  // of debugging sections
  if (table.type == SHT_REL || table.link != symbols) {
    return Fail(Code::kInvalidArgument,
                "host code: {} is not a table with addends over the symbols", table.name);
  }
  for (size_t i = 0; i < table.data.size() / sizeof(Elf64_Rela); ++i) {
    const auto raw = At<Elf64_Rela>(table.data, i);
    const ElfRelocation r{table.info, raw.r_offset, static_cast<uint32_t>(ELF64_R_TYPE(raw.r_info)),
                          static_cast<uint32_t>(ELF64_R_SYM(raw.r_info)), raw.r_addend};
    if (r.symbol >= object.symbols.size()) {
      return Fail(Code::kInvalidArgument, "host code: a relocation names symbol {} of {}", r.symbol,
                  object.symbols.size());
    }
    object.relocations.push_back(r);
  }
  return {};
}

}  // namespace

Result<ElfObject> ReadElf(std::span<const uint8_t> bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr))
    return Fail(Code::kDataLoss, "host code: {} bytes are too few for an object", bytes.size());
  const auto header = At<Elf64_Ehdr>(bytes, 0);
  TESSERA_TRY(CheckHeader(header));
  ElfObject object;
  TESSERA_TRY(ReadSections(bytes, header, object));
  uint32_t symbols = 0;
  for (uint32_t i = 1; i < object.sections.size(); ++i) {
    if (object.sections[i].type != SHT_SYMTAB) continue;
    if (symbols != 0) return Fail(Code::kInvalidArgument, "host code: has two symbol tables");
    symbols = i;
    TESSERA_TRY(ReadSymbols(object.sections[i], object));
  }
  for (uint32_t i = 1; i < object.sections.size(); ++i) {
    const ElfSection& section = object.sections[i];
    if (section.type == SHT_RELA || section.type == SHT_REL)
      TESSERA_TRY(ReadRelocations(section, symbols, object));
  }
  return object;
}

}  // namespace tessera
