// SPDX-License-Identifier: Apache-2.0
//
// The loader of host code, on objects compiled for this test: kernels run and give the right
// values; unknown outside functions, position-dependent code and damaged objects are refused.
// Space: every kernel of kernels.cc; every truncation; every byte of the headers and tables changed
// in several ways. A damaged object that still loads is not run: the loader cannot see damage to
// instructions.
#include "runtime/host/host_code.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <numeric>

#include "base/file.h"
#include "base/rng.h"
#include "runtime/host/cpu_level.h"

namespace tessera::host_code_test {
namespace {

std::vector<uint8_t> Object(const std::string& name) {
  const auto bytes = ReadFile(std::string(TEST_OBJECTS "/") + name + ".o");
  EXPECT_TRUE(bytes) << bytes.error().message;
  return *bytes;
}

template <typename... Buffers>
void Call(const HostCode& code, const std::string& symbol, Buffers*... buffers) {
  const auto kernel = code.Find(symbol);
  ASSERT_TRUE(kernel) << kernel.error().message;
  void* list[] = {buffers...};
  (*kernel)(list);
}

TEST(HostCode, KernelsRun) {
  const auto code = HostCode::Load(Object("kernels"));
  ASSERT_TRUE(code) << code.error().message;
  std::array<float, 4> in{1.0f, -2.5f, 0.3f, 12.0f};
  std::array<int8_t, 4> q{};
  Call(*code, "quantize4", in.data(), q.data());
  EXPECT_EQ(q, (std::array<int8_t, 4>{10, -25, 3, 120}));

  int64_t value = 0;
  Call(*code, "through_table", &value);
  EXPECT_EQ(value, 111);

  std::array<char, 64> from{}, to{};
  std::iota(from.begin(), from.end(), 1);
  to.fill('x');
  size_t n = 40;
  Call(*code, "copy_n", from.data(), to.data(), &n);
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(to[i], i < 40 ? static_cast<char>(i + 1) : 0) << i;
}

TEST(HostCode, JumpTablesReachEveryCase) {
  const auto code = HostCode::Load(Object("kernels"));
  ASSERT_TRUE(code) << code.error().message;
  const std::array<int64_t, 7> want{7, 100 + 111, -5, 300, 51, 1 << 20, 0};
  for (int64_t which = 0; which < 7; ++which) {
    int64_t out = 100;
    Call(*code, "choose", &which, &out);
    EXPECT_EQ(out, want[static_cast<size_t>(which)]) << which;
  }
}

TEST(HostCode, EachLoadHasItsOwnData) {
  const std::vector<uint8_t> object = Object("kernels");
  auto first = HostCode::Load(object), second = HostCode::Load(object);
  ASSERT_TRUE(first && second);
  int64_t count = 0;
  Call(*first, "count_calls", &count);
  Call(*first, "count_calls", &count);
  EXPECT_EQ(count, 2);
  const HostCode moved = std::move(*first);
  Call(moved, "count_calls", &count);
  EXPECT_EQ(count, 3);
  Call(*second, "count_calls", &count);
  EXPECT_EQ(count, 1);
}

TEST(HostCode, UnknownAndLocalSymbolsAreNotFound) {
  const auto code = HostCode::Load(Object("kernels"));
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->Find("no_such_kernel").error().code, Code::kNotFound);
  EXPECT_FALSE(code->Find("g_count"));  // data
  EXPECT_FALSE(code->Find("memcpy"));
  EXPECT_FALSE(code->Find(""));
}

TEST(HostCode, NeedsFromOutsideAreNamed) {
  const auto code = HostCode::Load(Object("foreign"));
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, Code::kUnsupported);
  EXPECT_NE(code.error().message.find("'not_provided'"), std::string::npos) << code.error().message;
}

TEST(HostCode, PositionDependentCodeIsRefused) {
  const auto code = HostCode::Load(Object("absolute"));
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, Code::kUnsupported) << code.error().message;
  EXPECT_NE(code.error().message.find("position-independent"), std::string::npos)
      << code.error().message;
}

// The loader's message after |change| to the ELF header.
std::string AfterHeader(const std::function<void(Elf64_Ehdr&)>& change) {
  std::vector<uint8_t> object = Object("kernels");
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof header);
  change(header);
  std::memcpy(object.data(), &header, sizeof header);
  const auto code = HostCode::Load(object);
  return code ? "accepted" : code.error().message;
}

TEST(HostCode, ForeignFilesAreRefusedWithTheReason) {
  EXPECT_NE(AfterHeader([](auto& h) { h.e_ident[0] = 0; }).find("is not an ELF object"),
            std::string::npos);
  EXPECT_NE(AfterHeader([](auto& h) { h.e_ident[EI_CLASS] = ELFCLASS32; }).find("64-bit"),
            std::string::npos);
  EXPECT_NE(AfterHeader([](auto& h) { h.e_type = ET_DYN; }).find("relocatable"), std::string::npos);
  EXPECT_NE(AfterHeader([](auto& h) { h.e_machine = EM_AARCH64; }).find("ELF machine 183"),
            std::string::npos);
  EXPECT_NE(AfterHeader([](auto& h) { h.e_shstrndx = 999; }).find("section table is malformed"),
            std::string::npos);
  EXPECT_NE(AfterHeader([](auto& h) { h.e_shnum = 0; }).find("section table is malformed"),
            std::string::npos);
  EXPECT_NE(AfterHeader([](auto& h) { h.e_shoff = ~uint64_t{0}; }).find("outside the object"),
            std::string::npos);
}

// The loader's message after |change| to the first section that |wanted| accepts.
std::string AfterSection(const std::function<bool(const Elf64_Shdr&)>& wanted,
                         const std::function<void(Elf64_Shdr&)>& change) {
  std::vector<uint8_t> object = Object("kernels");
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof header);
  for (size_t i = 1; i < header.e_shnum; ++i) {
    uint8_t* at = object.data() + header.e_shoff + i * sizeof(Elf64_Shdr);
    Elf64_Shdr section;
    std::memcpy(&section, at, sizeof section);
    if (!wanted(section)) continue;
    change(section);
    std::memcpy(at, &section, sizeof section);
    const auto code = HostCode::Load(object);
    return code ? "accepted" : code.error().message;
  }
  return "no such section";
}

TEST(HostCode, BadSectionsAreRefusedWithTheReason) {
  const auto code = [](const Elf64_Shdr& s) {
    return (s.sh_flags & SHF_EXECINSTR) && s.sh_size > 16;
  };
  const auto symbols = [](const Elf64_Shdr& s) { return s.sh_type == SHT_SYMTAB; };
  const auto patches = [](const Elf64_Shdr& s) { return s.sh_type == SHT_RELA; };
  const auto zeros = [](const Elf64_Shdr& s) { return s.sh_type == SHT_NOBITS && s.sh_size > 0; };
  EXPECT_NE(AfterSection(code, [](auto& s) { s.sh_flags |= SHF_WRITE; }).find("cannot be loaded"),
            std::string::npos);
  EXPECT_NE(
      AfterSection(code, [](auto& s) { s.sh_type = SHT_INIT_ARRAY; }).find("cannot be loaded"),
      std::string::npos);
  EXPECT_NE(AfterSection(zeros, [](auto& s) { s.sh_flags |= SHF_TLS; }).find("cannot be loaded"),
            std::string::npos);
  EXPECT_NE(AfterSection(code, [](auto& s) { s.sh_addralign = 3; }).find("alignment 3"),
            std::string::npos);
  EXPECT_NE(AfterSection(code, [](auto& s) { s.sh_offset = 1 << 30; }).find("outside the object"),
            std::string::npos);
  EXPECT_NE(AfterSection(code, [](auto& s) { s.sh_name = 1 << 30; }).find("name lies outside"),
            std::string::npos);
  EXPECT_NE(AfterSection(code, [](auto& s) { s.sh_size = 1; }).find("outside section"),
            std::string::npos);
  EXPECT_NE(
      AfterSection(zeros, [](auto& s) { s.sh_size = uint64_t{1} << 60; }).find("bytes, alignment"),
      std::string::npos);
  EXPECT_NE(AfterSection(symbols, [](auto& s) { s.sh_link = 999; }).find("no names"),
            std::string::npos);
  EXPECT_NE(AfterSection(symbols, [](auto& s) { s.sh_size = 24; }).find("names symbol"),
            std::string::npos);
  EXPECT_NE(
      AfterSection(patches, [](auto& s) { s.sh_type = SHT_SYMTAB; }).find("two symbol tables"),
      std::string::npos);
  EXPECT_NE(AfterSection(patches, [](auto& s) { s.sh_info = 999; }).find("patches section 999"),
            std::string::npos);
  EXPECT_NE(AfterSection(patches, [](auto& s) { s.sh_type = SHT_REL; }).find("with addends"),
            std::string::npos);
}

TEST(HostCode, EveryTruncationIsRefused) {
  const std::vector<uint8_t> object = Object("kernels");
  for (size_t n = 0; n < object.size(); ++n)
    EXPECT_FALSE(HostCode::Load(std::span(object).first(n))) << n;
}

TEST(HostCode, DamageNeverCrashesTheLoader) {
  const std::vector<uint8_t> whole = Object("kernels");
  int refused = 0;
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    std::vector<uint8_t> object = whole;
    for (int64_t i = rng.Range(1, 3); i > 0; --i) {
      object[static_cast<size_t>(rng.Range(0, static_cast<int64_t>(object.size()) - 1))] =
          static_cast<uint8_t>(rng.OneIn(3) ? 0xff : rng.Next());
    }
    refused += HostCode::Load(object) ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);  // most of the file is tables
}

TEST(CpuLevels, TheFirstIsTheBestAndTheLastIsTheBaseline) {
  const std::vector<std::string> levels = CpuLevels();
  ASSERT_FALSE(levels.empty());
  EXPECT_EQ(levels.back(), "x86-64");
  for (size_t i = 1; i < levels.size(); ++i) EXPECT_GT(levels[i - 1], levels[i]);
}

}  // namespace
}  // namespace tessera::host_code_test
