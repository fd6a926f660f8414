// SPDX-License-Identifier: Apache-2.0
#include "tools/measure_cpu.h"

namespace tessera::tools {

Result<isa::Cpu> MeasureCpu() {
  return Fail(Code::kUnsupported,
              "devices --measure: this tessera has no compiler, whose packing it measures; use one "
              "built without TESSERA_RUNTIME_ONLY, or write the key \"cpu\" by hand "
              "(docs/configurations.md)");
}

}  // namespace tessera::tools
