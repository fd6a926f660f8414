// SPDX-License-Identifier: Apache-2.0
//
// What is tested: two expressions have one structure exactly if they differ in names alone. Space:
// a sum of products with a constant behind it, and each change that a cost can depend on: an
// extent, a type, an operation, a number, what is read where, which placeholders are constants.
#include "compiler/te/structure.h"

#include <gtest/gtest.h>

namespace tessera::te::structure_test {
namespace {

using Index = std::vector<Expr>;

struct Changes {
  std::string suffix = "";  // of all names
  int64_t extent = 5, number = 3, channels = 4;
  DType type = DType::kInt8;
  bool max = false, other_read = false, known = true;
};

std::string StructureWith(const Changes& by) {
  const Tensor x = Placeholder("x" + by.suffix, by.type, {3, by.extent});
  const Tensor w = Placeholder("w" + by.suffix, DType::kInt8, {by.channels, by.extent});
  const Axis k = ReduceAxis("k" + by.suffix, by.extent);
  const auto wide = [](const Expr& e) { return ir::Cast(DType::kInt32, e); };
  const Tensor sum =
      Compute("s" + by.suffix, {3, by.channels}, {"n" + by.suffix, "c"}, [&](const Index& i) {
        const Expr product = wide(x(i[0], k.var)) * wide(w(i[1], k.var));
        return by.max ? MaxOf(product, {k}) : Sum(product, {k});
      });
  const Tensor y = Compute("y" + by.suffix, sum.shape(), {"m", "d"}, [&](const Index& i) {
    const Expr add = ir::Imm(DType::kInt32, by.number);
    return sum(i[0], i[1]) + (by.other_read ? sum(i[0], ir::FloorMod(i[1] + 1, 4)) : add);
  });
  return StructureOf(
      y, by.known ? std::set<const TensorNode*>{w.get()} : std::set<const TensorNode*>{});
}

TEST(Structure, DoesNotDependOnNames) {
  EXPECT_EQ(StructureWith({}), StructureWith({.suffix = "_other"}));
}

TEST(Structure, DependsOnAllElse) {
  const Changes changes[] = {{},
                             {.extent = 6},
                             {.number = 4},
                             {.channels = 8},
                             {.type = DType::kUint8},
                             {.max = true},
                             {.other_read = true},
                             {.known = false}};
  std::set<std::string> structures;
  for (const Changes& by : changes) structures.insert(StructureWith(by));
  EXPECT_EQ(structures.size(), std::size(changes));
}

// One tensor that is read twice is not two tensors that are alike.
TEST(Structure, TellsOneOperandFromTwo) {
  const Tensor a = Placeholder("a", DType::kInt32, {4}), b = Placeholder("b", DType::kInt32, {4});
  const auto sum = [](const Tensor& p, const Tensor& q) {
    return StructureOf(Compute("s", {4}, {"i"}, [&](const Index& i) { return p(i[0]) + q(i[0]); }),
                       {});
  };
  EXPECT_NE(sum(a, a), sum(a, b));
  EXPECT_EQ(sum(a, b), sum(b, a));
}

}  // namespace
}  // namespace tessera::te::structure_test
