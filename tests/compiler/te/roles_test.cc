// SPDX-License-Identifier: Apache-2.0
//
// What is tested: axis roles of contractions and window reductions. Space: full, grouped,
// channelwise and weightless windows, products, and what is none of them. Not tested here: the
// schedules made from roles.
#include "compiler/te/roles.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/te/te.h"

namespace tessera::te::roles_test {
namespace {

using Index = std::vector<Expr>;

Expr Wide(Expr e) { return ir::Cast(DType::kInt32, e); }

const char* RoleName(Role role) {
  constexpr const char* kNames[] = {"batch",       "spatial",       "output channel",
                                    "channelwise", "input channel", "window"};
  return kNames[static_cast<int>(role)];
}

// "c output channel, y spatial 2, ..." in the order data, reduced.
std::string Text(const Tensor& t) {
  const std::optional<Roles> roles = FindRoles(t->axes, t->reduce_axes, t->body);
  if (!roles) return "none";
  std::string text;
  for (const std::vector<AxisRole>* axes : {&roles->data, &roles->reduced}) {
    for (const AxisRole& a : *axes) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", a.axis.name(), RoleName(a.role));
      if (a.role == Role::kSpatial || a.role == Role::kWindow) text += fmt::format(" {}", a.coeff);
      if (a.group > 0) text += fmt::format(" of {} by {}", a.group, a.coeff);
    }
  }
  return text;
}

struct Window {
  Tensor x = Placeholder("x", DType::kInt8, {1, 8, 20, 20});
  Axis ci = ReduceAxis("ci", 8), ky = ReduceAxis("ky", 3), kx = ReduceAxis("kx", 3);
};

TEST(Roles, WindowOverChannels) {
  Window w;
  const Tensor k = Placeholder("k", DType::kInt8, {16, 8, 3, 3});
  const Tensor y = Compute("y", {1, 16, 7, 7}, {"n", "c", "y", "x"}, [&](const Index& i) {
    return Sum(Wide(w.x(i[0], w.ci.var, i[2] * 2 + w.ky.var, i[3] * 2 + w.kx.var * 3)) *
                   Wide(k(i[1], w.ci.var, w.ky.var, w.kx.var)),
               {w.ci, w.ky, w.kx});
  });
  EXPECT_EQ(Text(y),
            "n batch, c output channel, y spatial 2, x spatial 2, ci input channel, ky window 1, "
            "kx window 3");
  // The weights are found on either side of the product.
  const Tensor z = Compute("z", {1, 16, 7, 7}, {"n", "c", "y", "x"}, [&](const Index& i) {
    return Sum(Wide(k(i[1], w.ci.var, w.ky.var, w.kx.var)) *
                   Wide(w.x(i[0], w.ci.var, i[2] + w.ky.var, i[3] + w.kx.var)),
               {w.ci, w.ky, w.kx});
  });
  // ... or named; indices may begin in front of the input.
  const Tensor v = Compute("v", {16}, {"c"}, [&](const Index& i) {
    return Sum(Wide(w.x(0, w.ci.var, w.ky.var - 1, 4)) * Wide(k(i[0], w.ci.var, w.ky.var, 0)),
               {w.ci, w.ky});
  });
  const Expr product = v->body->args[0];
  const auto named =
      RolesOf(v->axes, v->reduce_axes, product->args[0]->args[0], product->args[1]->args[0]);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->data[0].role, Role::kOutputChannel);
  EXPECT_EQ(named->offsets, (std::vector<int64_t>{0, 0, -1, 4}));
  EXPECT_EQ(Text(z),
            "n batch, c output channel, y spatial 1, x spatial 1, ci input channel, ky window 1, "
            "kx window 1");
}

TEST(Roles, GroupsAndChannelwise) {
  Window w;
  const Axis g = ReduceAxis("ci", 4);
  const Tensor k = Placeholder("k", DType::kInt8, {16, 4, 3, 3}),
               d = Placeholder("d", DType::kInt8, {8, 1, 3, 3});
  const Tensor grouped =
      Compute("grouped", {1, 16, 7, 7}, {"n", "c", "y", "x"}, [&](const Index& i) {
        return Sum(
            Wide(w.x(i[0], ir::FloorDiv(i[1], 8) * 4 + g.var, i[2] + w.ky.var, i[3] + w.kx.var)) *
                Wide(k(i[1], g.var, w.ky.var, w.kx.var)),
            {g, w.ky, w.kx});
      });
  EXPECT_EQ(
      Text(grouped),
      "n batch, c output channel of 8 by 4, y spatial 1, x spatial 1, ci input channel, ky window "
      "1, kx window 1");
  const Tensor each = Compute("each", {1, 8, 7, 7}, {"n", "c", "y", "x"}, [&](const Index& i) {
    return Sum(Wide(w.x(i[0], i[1], i[2] + w.ky.var, i[3] + w.kx.var)) *
                   Wide(d(i[1], 0, w.ky.var, w.kx.var)),
               {w.ky, w.kx});
  });
  EXPECT_EQ(Text(each),
            "n batch, c channelwise, y spatial 1, x spatial 1, ky window 1, kx window 1");
  const Tensor most = Compute("most", {1, 8, 7, 7}, {"n", "c", "y", "x"}, [&](const Index& i) {
    return MaxOf(w.x(i[0], i[1], i[2] * 2 + w.ky.var, i[3] * 2 + w.kx.var), {w.ky, w.kx});
  });
  EXPECT_EQ(Text(most),
            "n batch, c channelwise, y spatial 2, x spatial 2, ky window 1, kx window 1");
}

TEST(Roles, ProductsAndWhatIsNone) {
  const Tensor a = Placeholder("a", DType::kInt8, {4, 6}),
               b = Placeholder("b", DType::kInt8, {5, 6});
  const Axis k = ReduceAxis("k", 6);
  const Tensor p = Compute("p", {4, 5}, {"m", "n"}, [&](const Index& i) {
    return Sum(Wide(a(i[0], k.var)) * Wide(b(i[1], k.var)), {k});
  });
  EXPECT_EQ(Text(p), "m batch, n output channel, k input channel");
  const Tensor e = Compute("e", {4, 6}, {"i", "j"}, [&](const Index& i) { return a(i); });
  EXPECT_EQ(Text(e), "none");
  const Tensor sum3 = Compute("sum3", {4}, {"i"},
                              [&](const Index& i) { return Sum(Wide(a(i[0], k.var)) + 1, {k}); });
  EXPECT_EQ(Text(sum3), "none");
  const Tensor diagonal = Compute("diagonal", {4}, {"i"},
                                  [&](const Index& i) { return Sum(a(i[0], i[0] + k.var), {k}); });
  EXPECT_EQ(Text(diagonal), "none");
}

}  // namespace
}  // namespace tessera::te::roles_test
