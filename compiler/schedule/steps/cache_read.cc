// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const CacheReadStep& step, Editor& editor) {
  TESSERA_ASSIGN(const Stage* source, editor.FindStage(step.tensor));
  TESSERA_TRY(editor.RequireMemory(step.scope));
  if (source->attach == Attach::kInline)
    return Fail(Code::kInvalidArgument, "{} was inlined", step.tensor);
  TESSERA_TRY(editor.NewStageName(step.name));
  Stage copy;
  copy.name = step.name;
  copy.dtype = source->dtype;
  copy.shape = source->shape;
  copy.scope = step.scope;
  MakeCopyOf(*source, &copy);
  const auto tensor = TensorLike(copy, step.name);
  size_t place = editor.stages().size();
  for (const std::string& name : step.readers) {
    TESSERA_ASSIGN(Stage * reader, editor.EditCompute(name));
    bool reads = false;
    reader->body =
        ReplaceReads(reader->body, step.tensor, [&](const std::vector<ir::Expr>& indices) {
          reads = true;
          return ir::TensorRead(tensor, indices);
        });
    if (!reads) return Fail(Code::kInvalidArgument, "{} does not read {}", name, step.tensor);
    place = std::min(place, editor.stages().IndexOf(*reader));
  }
  editor.stages().Insert(place, std::move(copy));
  return {};
}

}  // namespace tessera::schedule
