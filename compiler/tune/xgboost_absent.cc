// SPDX-License-Identifier: Apache-2.0
//
// Boosted trees in a build without the library.
#include "compiler/tune/booster.h"
#include "compiler/tune/cost_model.h"

namespace tessera::tune {
namespace {

std::unexpected<Error> Absent() {
  return Fail(Code::kUnsupported,
              "model xgboost: this build is without libxgboost; install libxgboost-dev and "
              "configure again, or give --model prior");
}

}  // namespace

struct Booster::Library {};

bool HasXgboost() { return false; }

Booster::Booster() = default;
Booster::Booster(Booster&&) noexcept = default;
Booster& Booster::operator=(Booster&&) noexcept = default;
Booster::~Booster() = default;

Status Booster::Train(const BoosterRows&, bool, int, const Booster*) { return Absent(); }
Result<std::vector<float>> Booster::Predict(const BoosterRows& rows) const { return rows.margins; }
Result<std::string> Booster::Text() const { return Absent(); }
Status Booster::Load(const std::string&, size_t) { return Absent(); }

}  // namespace tessera::tune
