// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the elements that an imported Resize (nearest) or Upsample takes are those that
// ONNX Runtime takes. Space: all pairs of extents 1 to 64, six coordinate modes, four roundings, by
// sizes, by scales that are quotients of extents and by scales that are not, and opset 10's form,
// which Upsample-7 and -9 share (models/onnx_resize says how the file is made). Not tested here:
// what a node with given elements computes (tests/compiler/region/image_test.cc).
#include <fstream>
#include <sstream>

#include "base/hash.h"
#include "tests/compiler/import/bad_model.h"

namespace tessera::resize_goldens_test {
namespace {

constexpr int64_t kMost = 64;
using Table = std::vector<int64_t>;

// |value|s for rows and columns as the form has them; rows get |m|, columns |other|.
void AddResize(ModelBuilder& b, const std::string& form, const std::string& place,
               const std::string& nearest, int64_t n, int64_t m, int64_t other, int64_t k) {
  const std::string name = fmt::format("r{}", k), more = fmt::format("n{}", k);
  const auto scale = [&](int64_t to) {
    const float add = form == "sizes" || form == "scales" ? 0.0f : 0.375f;
    return (static_cast<float>(to) + add) / static_cast<float>(n);
  };
  if (form == "sizes") {
    b.Int64s(more, {4}, {1, 1, m, other});
    b.Node("Resize", {"x", "", "", more}, {name}, name);
  } else if (form == "upsample7") {
    auto& a = *b.Node("Upsample", {"x"}, {name}, name).add_attribute();
    a.set_name("scales");
    a.set_type(onnx::AttributeProto::FLOATS);
    for (const float v : {1.0f, 1.0f, scale(m), scale(other)}) a.add_floats(v);
  } else {
    b.Floats(more, {4}, {1, 1, scale(m), scale(other)});
    if (form == "opset10" || form == "upsample9") {
      b.Node(form == "opset10" ? "Resize" : "Upsample", {"x", more}, {name}, name);
    } else {
      b.Node("Resize", {"x", "", more}, {name}, name);
    }
  }
  if (place != "-") {
    B::AttrS(b.node(name), "coordinate_transformation_mode", place);
    B::AttrS(b.node(name), "nearest_mode", nearest);
  }
  b.Output(name);
}

// For each m the elements that a result of m takes of |n|; empty where it has none.
std::vector<Table> Tables(const std::string& form, const std::string& place,
                          const std::string& nearest, int64_t n) {
  ModelBuilder b;
  const bool upsample = form.starts_with("upsample");
  b.model.mutable_opset_import(0)->set_version(form == "opset10"     ? 10
                                               : form == "upsample9" ? 9
                                               : form == "upsample7" ? 7
                                                                     : 19);
  b.Input("x", {1, 1, n, n});
  // Left out: scales that Upsample refuses, and results without an element.
  const auto some = [&](int64_t m) {
    const auto scale = static_cast<float>(m) / static_cast<float>(n);
    return form != "scales" || static_cast<int64_t>(scale * static_cast<float>(n)) > 0;
  };
  std::vector<int64_t> made;
  for (int64_t m = upsample ? n : 1; m <= kMost; ++m) {
    if (!some(m)) continue;
    // Columns: the other end of the range, as in the file's maker, where it can be.
    const int64_t other = !upsample && some(kMost + 1 - m) ? kMost + 1 - m : m;
    AddResize(b, form, place, nearest, n, m, other, m);
    made.push_back(m);
  }
  const auto g = ImportOnnx(b.Bytes(), "m.onnx");
  EXPECT_TRUE(g) << g.error().message;
  std::vector<Table> tables(static_cast<size_t>(kMost) + 1);
  if (!g) return tables;
  for (size_t k = 0; k < made.size(); ++k)
    tables[static_cast<size_t>(made[k])] = g->nodes[k].As<graph::ResizeAttributes>().rows;
  for (size_t k = 0; k < made.size(); ++k) {
    const int64_t other = !upsample && some(kMost + 1 - made[k]) ? kMost + 1 - made[k] : made[k];
    EXPECT_EQ(g->nodes[k].As<graph::ResizeAttributes>().columns,
              tables[static_cast<size_t>(other)]);
  }
  return tables;
}

TEST(ResizeGoldens, TakeTheElementsThatOnnxRuntimeTakes) {
  std::ifstream file("tests/data/onnx_resize/nearest.txt");
  ASSERT_TRUE(file);
  int modes = 0, full = 0;
  std::map<int64_t, std::vector<Table>> all;  // by n, of the last mode
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string kind;
    in >> kind;
    if (kind == "mode") {
      std::string form, place, nearest, sum;
      in >> form >> place >> nearest;
      SCOPED_TRACE(fmt::format("{} {} {}", form, place, nearest));
      ++modes;
      for (int64_t n = 1; n <= kMost; ++n) {
        ASSERT_TRUE(in >> sum);
        all[n] = Tables(form, place, nearest, n);
        std::vector<uint8_t> bytes;
        for (size_t m = 1; m < all[n].size(); ++m) {
          bytes.push_back(static_cast<uint8_t>(all[n][m].size()));
          bytes.insert(bytes.end(), all[n][m].begin(), all[n][m].end());
        }
        EXPECT_EQ(fmt::format("{:08x}", Crc64(bytes) & 0xffffffff), sum) << "operand of " << n;
      }
      for (const char* upsample : {"upsample7", "upsample9"}) {
        for (int64_t n = 1; n <= kMost && form == "opset10"; ++n) {
          const std::vector<Table> tables = Tables(upsample, place, nearest, n);
          for (size_t m = static_cast<size_t>(n); m < tables.size(); ++m)
            EXPECT_EQ(tables[m], all[n][m]) << upsample << " " << n << " to " << m;
        }
      }
    } else if (kind == "table") {
      int64_t n = 0, value = 0;
      size_t m = 0;
      ASSERT_TRUE(in >> n >> m);
      Table table;
      while (in >> value) table.push_back(value);
      EXPECT_EQ(all.at(n).at(m), table) << n << " to " << m;
      ++full;
    }
  }
  EXPECT_EQ(modes, 3 * 6 * 4 + 1);
  EXPECT_EQ(full, 7 * modes);
}

}  // namespace
}  // namespace tessera::resize_goldens_test
