// SPDX-License-Identifier: Apache-2.0
//
// The stock ONNX Runtime of tests: the wheel that scripts/pypi_tool.sh installs, loaded at run
// time. Used by: wheel_test, cases_test.
#ifndef TESSERA_TESTS_PROVIDER_ONNXRUNTIME_WHEEL_H_
#define TESSERA_TESTS_PROVIDER_ONNXRUNTIME_WHEEL_H_

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "provider/onnxruntime/calls.h"
#include "runtime/tensor/tensor.h"

namespace tessera::ort {

// ONNX Runtime with our provider registered, for the life of the process; null: |why| says why
// there is no wheel.
class Wheel {
 public:
  static const Wheel* Get(std::string* why);

  using Texts = std::map<std::string, std::string>;
  struct Session;
  using SessionPtr = std::unique_ptr<Session, void (*)(Session*)>;

  // A session of the model |path|. |options|: of our provider, null: without it. |entries|: of the
  // session.
  Result<SessionPtr> Open(const std::string& path, const Texts* options,
                          const Texts& entries = {}) const;
  // Runs |session| with the first of its inputs, as many as |inputs| has.
  Result<std::vector<HostTensor>> Run(const Session& session,
                                      std::span<const HostTensor> inputs) const;

  const Calls& calls() const { return calls_; }

 private:
  Wheel() = default;
  Status Start(const OrtApiBase& base);
  // The names of the first |count| inputs of |session|, or of all its outputs.
  Result<std::vector<std::string>> Names(const Session& session, std::optional<size_t> count) const;

  Calls calls_;
  OrtEnv* env_ = nullptr;
  const OrtEpDevice* device_ = nullptr;  // of our provider
};

}  // namespace tessera::ort

#endif  // TESSERA_TESTS_PROVIDER_ONNXRUNTIME_WHEEL_H_
