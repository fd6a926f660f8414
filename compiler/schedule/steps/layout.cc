// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/layout.h"

#include <fmt/format.h>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const LayoutStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditStage(step.tensor));
  TESSERA_ASSIGN(std::string text, editor.LayoutText(step.pieces));
  if (step.fill) text += fmt::format(" fill {}", *step.fill);
  TESSERA_ASSIGN(stage->layout, ir::ParseLayout(text, static_cast<int>(stage->shape.size())));
  const Status fits = CheckLayout(stage->shape, stage->layout, ir::kMostElements);
  if (!fits && fits.error().code == Code::kOutOfRange)
    return Fail(Code::kOutOfRange, "{}; choose smaller blocks", fits.error().message);
  TESSERA_TRY(fits);
  return RequireWholeFold(*stage);
}

}  // namespace tessera::schedule
