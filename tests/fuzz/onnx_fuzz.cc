// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: the importer refuses the bytes, or every graph pass takes their model, up to tensor
// expressions.
#include "base/check.h"
#include "compiler/graph/fuse.h"
#include "compiler/graph/passes.h"
#include "compiler/import/onnx.h"
#include "compiler/quantize/params.h"
#include "compiler/region/region.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera;  // NOLINT: one function
  auto graph = ImportOnnx({data, size}, "fuzz.onnx");
  if (!graph) return 0;
  graph::Simplify(*graph);
  const Status status = graph::Verify(*graph);
  TESSERA_CHECK(status.has_value(), "{}", status.error().message);
  if (!quantize::AttachRequant(*graph)) return 0;
  for (const graph::Region& region : graph::Fuse(*graph)) te::BuildRegion(*graph, region);
  return 0;
}
