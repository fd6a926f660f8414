// SPDX-License-Identifier: Apache-2.0
//
// What is tested: how many results of a softmax of tables, sums and tables differ from TFLite's
// integers and from a softmax in floats between quantisations; it prints the figures of
// docs/rationale/accelerator-path.md. TAB holds 256 bytes, so one table gives an exponential of 8
// bits and two give 16, and of a sum it sees 8 bits. Space: 40 rows of 16, 64 and 256 elements for
// each of four scales. Not tested here: the operator itself (rearrange_test, tests/models).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/rng.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::softmax_tables_test {
namespace {

constexpr int64_t kRows = 40;
using Row = std::vector<int32_t>;

int32_t ToInt8(double real) {  // of scale 1/256 and zero point -128
  return static_cast<int32_t>(std::clamp(real - 128, -128.0, 127.0));
}

// TFLite's integers, by the definition.
std::vector<Row> ByTflite(const std::vector<Row>& rows, double scale) {
  const int64_t count = std::ssize(rows), length = std::ssize(rows[0]);
  graph::Graph g;
  const graph::TensorId x =
      g.AddTensor({.name = "x", .shape = {count, length}, .quant = graph::Quant{{scale}, {0}, -1}});
  const graph::TensorId y = g.AddTensor(
      {.name = "y", .shape = {count, length}, .quant = graph::Quant{{1.0 / 256}, {-128}, -1}});
  g.inputs = {x}, g.outputs = {y};
  g.nodes = {{.op = graph::Op::kSoftmax,
              .name = "softmax",
              .inputs = {x},
              .output = y,
              .attributes = graph::SoftmaxAttributes{}}};
  EXPECT_TRUE(quantize::AttachRequant(g));
  TensorBytes values;
  for (const Row& row : rows) {
    for (const int32_t value : row) values[x].push_back(static_cast<uint8_t>(value));
  }
  RunRegions(g, values);
  const std::vector<int8_t> all = As<int8_t>(values.at(y));
  std::vector<Row> made;
  for (int64_t r = 0; r < count; ++r)
    made.emplace_back(all.begin() + r * length, all.begin() + (r + 1) * length);
  return made;
}

// In floats, between a DequantizeLinear and a QuantizeLinear.
Row InFloats(const Row& row, double scale) {
  const int32_t most = *std::ranges::max_element(row);
  std::vector<float> powers;
  float sum = 0;
  for (const int32_t value : row) {
    powers.push_back(std::exp(static_cast<float>(scale) * static_cast<float>(value - most)));
    sum += powers.back();
  }
  Row made;
  for (const float power : powers) made.push_back(ToInt8(std::nearbyint(power / sum * 256)));
  return made;
}

// By tables: exponentials of |bits|, by the distance to the greatest value. |divided|: an exact
// quotient, better than any table; otherwise the reciprocal, of |bits|, of a sum of which a table
// sees the 8 leading bits.
Row ByTables(const Row& row, double scale, int bits, bool divided) {
  const double one = std::ldexp(1.0, bits) - 1;
  const int32_t most = *std::ranges::max_element(row);
  std::vector<double> powers;
  double sum = 0;
  for (const int32_t value : row) {
    powers.push_back(std::nearbyint(one * std::exp(scale * (value - most))));
    sum += powers.back();
  }
  int exponent = 0;
  const double leading = std::nearbyint(std::frexp(sum, &exponent) * 256);  // 128 to 256
  const double share = std::nearbyint(std::ldexp(128 / leading, bits));
  Row made;
  for (const double power : powers) {
    const double real =
        divided ? power / sum * 256 : std::ldexp(power * share, 1 - bits - exponent) * 256;
    made.push_back(ToInt8(std::floor(real + 0.5)));
  }
  return made;
}

struct Off {
  int64_t outputs = 0, most = 0;
  void Add(const Row& a, const Row& b) {
    for (size_t k = 0; k < a.size(); ++k) {
      outputs += a[k] != b[k];
      most = std::max<int64_t>(most, std::abs(a[k] - b[k]));
    }
  }
};

TEST(SoftmaxTables, EightOrSixteenBitsAreAnotherSoftmax) {
  constexpr uint64_t kSeed = 1;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Rng rng(kSeed);
  // By form (bits 8 and 16; reciprocal, quotient), against TFLite and floats.
  std::array<std::array<Off, 2>, 4> off{};
  int64_t outputs = 0;
  Off rules;  // TFLite against floats
  for (const int64_t length : {16, 64, 256}) {
    for (const double scale : {0.03125, 0.0625, 0.125, 0.25}) {
      std::vector<Row> rows(kRows);
      for (Row& row : rows) {
        for (int64_t k = 0; k < length; ++k) {
          const int64_t sum = rng.Range(-45, 45) + rng.Range(-45, 45) + rng.Range(-45, 45);
          row.push_back(static_cast<int32_t>(std::clamp<int64_t>(sum, -128, 127)));
        }
      }
      const std::vector<Row> tflite = ByTflite(rows, scale);
      for (size_t r = 0; r < rows.size(); ++r) {
        const Row floats = InFloats(rows[r], scale);
        rules.Add(tflite[r], floats);
        for (size_t form = 0; form < 4; ++form) {
          const Row made = ByTables(rows[r], scale, form < 2 ? 8 : 16, form % 2 == 1);
          off[form][0].Add(made, tflite[r]);
          off[form][1].Add(made, floats);
        }
      }
      outputs += kRows * length;
    }
  }
  const auto print = [&](const char* name, const Off& tflite, const Off& floats) {
    std::printf("%-34s %8.3f %% by %lld at most %8.3f %% by %lld at most\n", name,
                100.0 * static_cast<double>(tflite.outputs) / static_cast<double>(outputs),
                static_cast<long long>(tflite.most),
                100.0 * static_cast<double>(floats.outputs) / static_cast<double>(outputs),
                static_cast<long long>(floats.most));
  };
  std::printf("of %lld outputs differ             from TFLite              from floats\n",
              static_cast<long long>(outputs));
  print("8 bits, reciprocal by a table", off[0][0], off[0][1]);
  print("8 bits, exact quotient", off[1][0], off[1][1]);
  print("16 bits, reciprocal by a table", off[2][0], off[2][1]);
  print("16 bits, exact quotient", off[3][0], off[3][1]);
  print("TFLite", Off{}, rules);
  for (const auto& form : off) {
    EXPECT_GT(form[0].outputs, 0);
    EXPECT_GT(form[1].outputs, 0);
  }
}

}  // namespace
}  // namespace tessera::softmax_tables_test
