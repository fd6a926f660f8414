// SPDX-License-Identifier: Apache-2.0
//
// Good TFLite models, imported for tests that look at the graph.
#ifndef TESSERA_TESTS_COMPILER_IMPORT_TFLITE_IMPORT_H_
#define TESSERA_TESTS_COMPILER_IMPORT_TFLITE_IMPORT_H_

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <string>

#include "compiler/import/import.h"
#include "tests/compiler/import/bad_tflite.h"

namespace tessera {

inline graph::Graph ImportGood(const TfliteBuilder& b) {
  auto graph = ImportModel(b.Bytes(), "m.tflite");
  EXPECT_TRUE(graph) << graph.error().message;
  if (!graph) return {};
  EXPECT_TRUE(graph::Verify(*graph));
  std::set<std::string> names;
  for (const graph::GraphTensor& t : graph->tensors)
    EXPECT_TRUE(names.insert(t.name).second) << t.name;
  names.clear();
  for (const graph::Node& n : graph->nodes) {
    EXPECT_TRUE(names.insert(n.name).second) << n.name;
    EXPECT_EQ(n.round, isa::Round::kTflite) << n.name;
  }
  return std::move(*graph);
}

inline const graph::Node& Named(const graph::Graph& g, const std::string& name) {
  for (const graph::Node& n : g.nodes) {
    if (n.name == name) return n;
  }
  throw std::out_of_range(name);
}

// "conv dense": the operators in order.
inline std::string Ops(const graph::Graph& g) {
  std::string text;
  for (const graph::Node& n : g.nodes)
    text += fmt::format("{}{}", text.empty() ? "" : " ", graph::Text(n.op));
  return text;
}

// x -> |type| with further inputs -> y, of one scale.
inline TfliteBuilder One(T::Builtin type, const T::Dims& in, const T::Dims& out) {
  TfliteBuilder b;
  b.Int8("x", in, 0.5f, 3);
  b.Int8("y", out, 0.5f, 3);
  b.Op(type, {"x"}, {"y"});
  b.Input("x");
  b.Output("y");
  return b;
}

}  // namespace tessera

#endif  // TESSERA_TESTS_COMPILER_IMPORT_TFLITE_IMPORT_H_
