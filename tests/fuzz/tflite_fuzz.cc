// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: any bytes are a TFLite model that every graph pass takes, up to tensor expressions,
// or are refused in one line.
#include "base/check.h"
#include "compiler/graph/fuse.h"
#include "compiler/graph/passes.h"
#include "compiler/import/tflite.h"
#include "compiler/quantize/params.h"
#include "compiler/te/ops/region.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera;  // NOLINT: one function
  auto graph = ImportTflite({data, size}, "fuzz.tflite");
  if (!graph) {
    TESSERA_CHECK(graph.error().message.find('\n') == std::string::npos, "{}",
                  graph.error().message);
    return 0;
  }
  if (!quantize::AttachRequant(*graph)) return 0;
  graph::Simplify(*graph);
  const Status status = graph::Verify(*graph);
  TESSERA_CHECK(status.has_value(), "{}", status.error().message);
  for (const graph::Region& region : graph::Fuse(*graph)) te::BuildRegion(*graph, region);
  return 0;
}
