// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/xgboost_model.h"

namespace tessera::tune {

bool HasXgboost() { return false; }

Result<std::unique_ptr<CostModel>> MakeXgboostModel(ModelKind, Space*, const isa::Config&, bool) {
  return Fail(Code::kUnsupported,
              "model xgboost: this build is without libxgboost; install libxgboost-dev and "
              "configure again, or give --model prior");
}

}  // namespace tessera::tune
