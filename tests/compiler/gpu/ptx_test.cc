// SPDX-License-Identifier: Apache-2.0
//
// What is tested: PTX of every operator in every type, of every function, of convolutions in blocks
// and of random schedules: LLVM verifies the module (PtxSource checks that itself), the text has
// the kernel's threads, parameters, barriers and buffers, and ptxas assembles it for sm_80 and
// sm_90 where it is installed. Not here: what the kernels compute (tests/runtime/gpu).
#include "compiler/codegen/llvm/ptx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <regex>
#include <set>

#include "base/file.h"
#include "compiler/ir/visit.h"
#include "compiler/target/cuda.h"
#include "tests/compiler/gpu/gpu_cases.h"

namespace tessera::ptx_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

size_t Count(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// The least number of barriers in the kernel's text: LLVM may copy a barrier, and drops none.
size_t Barriers(const ir::Stmt& s) {
  size_t count = s->kind == ir::StmtKind::kEval && s->value->name == lower::kBarrier;
  for (const ir::Stmt& b : s->body) count += Barriers(b);
  return count;
}

// Whether sums of products of floats are in |body|.
bool Fuses(const ir::Stmt& body) {
  bool fuses = false;
  ir::VisitStmts(body, [&](const ir::Stmt& s) {
    if (s->kind != ir::StmtKind::kStore) return;
    ir::Visit(s->value, [&](const ir::Expr& e) {
      fuses = fuses || (e->kind == ir::ExprKind::kCall && e->name == "fma");
    });
  });
  return fuses;
}

// The text of one kernel: head and body.
std::string EntryOf(const std::string& text, const std::string& kernel) {
  const size_t begin = text.find(".entry " + kernel + "(");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find("\n}", begin) - begin);
}

// The shared-memory buffers in a kernel's text. LLVM drops buffers that no thread reads, and may
// split one with few elements into NAME_$_0 and so on.
std::set<std::string> SharedOf(const std::string& entry) {
  static const std::regex variable(R"(\.shared \.align \d+ \.\w+ ([\w$]+?)(_\$_\d+)?[;\[])");
  std::set<std::string> names;
  for (std::sregex_iterator at(entry.begin(), entry.end(), variable), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

// |blocks|: the least number of shared-memory buffers in the text, over all kernels.
void ExpectPtx(const test::GpuCases& cases, size_t blocks) {
  const std::vector<lower::GpuKernel> kernels = test::KernelsOf(cases);
  for (const auto& [arch, language] : {std::pair("sm_80", "7.0"), std::pair("sm_90", "7.8")}) {
    const Result<std::string> text = codegen::PtxSource(kernels, arch);
    ASSERT_TRUE(text.has_value()) << text.error().message;
    EXPECT_THAT(*text, HasSubstr(fmt::format(".version {}\n.target {}\n", language, arch)));
    // The text has no operations without explicit rounding, which the assembler might fuse.
    const std::regex loose(R"((add|sub|mul)\.f32|fma\.(?!rn\.f32)|div\.full)");
    EXPECT_FALSE(std::regex_search(*text, loose));
    EXPECT_EQ(Count(*text, ".extern"), 0u);  // it calls no function
    size_t in_shared = 0;
    for (const lower::GpuKernel& k : kernels) {
      const std::string entry = EntryOf(*text, k.name);
      EXPECT_THAT(entry, HasSubstr(fmt::format(".reqntid {}, {}, {}", k.threads[0], k.threads[1],
                                               k.threads[2])));
      EXPECT_EQ(Count(entry.substr(0, entry.find(')')), ".param .u64"), k.params.size());
      EXPECT_GE(Count(entry, "bar.sync"), Barriers(k.body)) << entry;
      EXPECT_EQ(Count(entry, "fma.") > 0, Fuses(k.body)) << entry;
      const size_t shared = SharedOf(entry).size();
      EXPECT_LE(shared, k.shared.size()) << entry;
      in_shared += shared;
    }
    EXPECT_GE(in_shared, blocks);
    const std::string ptxas = TESSERA_PTXAS;
    if (ptxas.empty()) continue;
    const std::string file = ::testing::TempDir() + fmt::format("kernels_{}.ptx", arch);
    ASSERT_TRUE(WriteFile(file, *text).has_value());
    const std::string log = file + ".log";
    const int code = std::system(
        fmt::format("{} -arch={} -O1 -o /dev/null {} > {} 2>&1", ptxas, arch, file, log).c_str());
    EXPECT_EQ(WEXITSTATUS(code), 0)
        << fmt::format("{}: ", file) << std::string(ReadFile(log)->begin(), ReadFile(log)->end());
  }
  if (std::string(TESSERA_PTXAS).empty())
    GTEST_SKIP() << "ptxas is not installed (CUDA's toolkit has it): PTX is checked, not assembled";
}

TEST(Ptx, EveryOperatorInEveryType) { ExpectPtx(test::EveryOperator(), 0); }

TEST(Ptx, EveryOperatorByFragmentsToo) {
  ExpectPtx(test::EveryOperator({.target = target::Cuda(), .constants_known = true}), 6);
}

TEST(Ptx, ConvolutionsInBlocks) { ExpectPtx(test::BlockedConvolutions(), 18); }

TEST(Ptx, RandomSchedules) { ExpectPtx(test::RandomCases(7, 24), 1); }

TEST(Ptx, EveryFunction) { ExpectPtx(test::EveryFunction(), 0); }

TEST(Ptx, MatrixFragments) {
  const test::GpuCases cases = test::FragmentCases();
  ASSERT_EQ(cases.size(), 4u);
  ExpectPtx(cases, 12);
  const Result<std::string> text = codegen::PtxSource(test::KernelsOf(cases));
  ASSERT_TRUE(text.has_value()) << text.error().message;
  for (const char* product : {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
                              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"})
    EXPECT_THAT(*text, HasSubstr(product));
  EXPECT_THAT(*text, Not(HasSubstr("__local_depot")));  // sums are in registers
  // Operands are read as two words of a row, so that half a warp reads a row of all banks: three
  // loads a product, or fewer where products share one.
  EXPECT_GE(Count(*text, "ld.shared.v2.u32"), Count(*text, "mma.sync."));
}

TEST(Ptx, FragmentsThatTheGeneratorChooses) {
  const test::GpuCases cases = test::GeneratedFragments();
  ExpectPtx(cases, 60);
  const Result<std::string> text = codegen::PtxSource(test::KernelsOf(cases));
  ASSERT_TRUE(text.has_value()) << text.error().message;
  EXPECT_THAT(*text, Not(HasSubstr("__local_depot")));  // sums are in registers
}

TEST(Ptx, LanesThatAreNeighboursAreOneAccess) {
  const te::Tensor x = te::Placeholder("x", DType::kFloat32, {256});
  const te::Tensor y = te::Compute(
      "y", {256}, {"i"}, [&](const std::vector<ir::Expr>& i) { return x(i[0]) + x(i[0]); });
  auto s = schedule::Schedule::Create({y}, target::Gpu());
  ASSERT_TRUE(s.has_value());
  for (const char* step : {"split y i 4 o v", "bind y o thread.x", "vectorize y v"})
    ASSERT_TRUE(s->Apply(step).has_value()) << step;
  const auto func = lower::LowerKernels(*s, "sums");
  ASSERT_TRUE(func.has_value()) << func.error().message;
  const Result<std::string> text = codegen::PtxSource(func->kernels);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("ld.global.nc.v4.f32"));
  EXPECT_THAT(*text, HasSubstr("st.global.v4.f32"));
  EXPECT_THAT(*text, Not(HasSubstr("bar.sync")));
}

TEST(Ptx, RefusesAnArchitectureThatItDoesNotKnow) {
  const Result<std::string> text = codegen::PtxSource({}, "sm_20");
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code, Code::kUnsupported);
  EXPECT_EQ(text.error().message, "PTX for 'sm_20': architectures are sm_80 and sm_90");
}

}  // namespace
}  // namespace tessera::ptx_test
