// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/emit/emit_func.h"

#include "base/check.h"
#include "compiler/codegen/accel/emit/execute.h"
#include "compiler/ir/layout.h"

namespace tessera::codegen::accel {

Result<isa::ProgramImage> EmitFunc(const ir::Func& func, std::span<const BufferAddress> places,
                                   const isa::Config& config) {
  TESSERA_CHECK(places.size() == func.params.size(), "{}", func.name);
  jit::ProgramBuilder builder(config);
  LeafEmitter emitter(config, &builder);
  for (size_t k = 0; k < places.size(); ++k) {
    emitter.Place(func.params[k], places[k]);
    builder.ReserveSegment(places[k].segment, places[k].base + ir::SizeInBytes(*func.params[k]));
  }
  builder.BeginSource(0, func.name);
  Rings rings(config);
  if (const Status status = Execute(func.body, emitter, rings); !status)
    return Within(func.name, status.error());
  return builder.Finish();
}

}  // namespace tessera::codegen::accel
