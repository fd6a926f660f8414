// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/prepared.h"

#include <map>
#include <string>

#include "compiler/schedule/params.h"

namespace tessera::compiler {

Status AddPrepared(const schedule::Schedule& made, std::vector<te::Binding>* bindings) {
  std::map<std::string, std::vector<uint8_t>> values;
  for (const te::Binding& binding : *bindings) {
    if (binding.activation < 0) values[binding.placeholder.name()] = binding.constant;
  }
  TESSERA_TRY(schedule::Prepare(made, &values));
  const te::Binding output = bindings->back();
  bindings->pop_back();
  for (const schedule::Stage& stage : made.stages()) {
    if (!stage.prepared || !schedule::IsRead(made, stage)) continue;
    bindings->push_back(
        {te::Placeholder(stage.name, stage.dtype, stage.shape), -1, values.at(stage.name)});
  }
  bindings->push_back(output);
  return {};
}

}  // namespace tessera::compiler
