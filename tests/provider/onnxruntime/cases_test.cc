// SPDX-License-Identifier: Apache-2.0
//
// What is tested: single operators in a stock ONNX Runtime with all nodes on Tessera, beside ONNX
// Runtime alone, within 1e-3 of the value + 1e-5. Space: the models and inputs of ONNX's own test
// cases (Debian's libonnx-testdata), every 30th from a first one that changes with the day;
// TESSERA_ORT_CASES=FIRST names it, =all runs every case. A model counts if the compiler takes all
// of its nodes: ONNX Runtime is told not to run any. Not tested here: the expected results of the
// cases (onnx_cases_test), random operators.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

#include "base/file.h"
#include "base/half.h"
#include "tests/provider/onnxruntime/wheel.h"

namespace tessera::ort::cases_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "/usr/share/libonnx-testdata/data";
constexpr size_t kStep = 30;

// The inputs of a case; nothing: of a type that the provider lacks.
std::optional<std::vector<HostTensor>> InputsOf(const fs::path& folder) {
  std::vector<HostTensor> inputs;
  while (true) {
    const auto bytes =
        ReadFile((folder / fmt::format("test_data_set_0/input_{}.pb", inputs.size())).string());
    if (!bytes) return inputs;
    onnx::TensorProto proto;
    if (!proto.ParseFromArray(bytes->data(), static_cast<int>(bytes->size()))) return std::nullopt;
    const auto dtype = TypeOf(static_cast<OrtElementType>(proto.data_type()));
    if (!dtype) return std::nullopt;
    // Other files are read as tensors too, sequences for example.
    const std::vector<int64_t> shape(proto.dims().begin(), proto.dims().end());
    const auto count = ElementCount(shape, 1 << 28);
    if (!count) return std::nullopt;
    HostTensor input{*dtype, shape, {}};
    input.bytes.assign(proto.raw_data().begin(), proto.raw_data().end());
    if (std::ssize(input.bytes) != *count * SizeOf(*dtype)) return std::nullopt;
    inputs.push_back(std::move(input));
  }
}

// Element |i| of floats.
double FloatAt(const HostTensor& tensor, size_t i) {
  return tensor.dtype == DType::kFloat16 ? HalfToFloat(tensor.as<uint16_t>()[i])
                                         : tensor.as<float>()[i];
}

bool Agree(const HostTensor& have, const HostTensor& want) {
  if (have.dtype != want.dtype || have.shape != want.shape) return false;
  if (!IsFloat(want.dtype)) return have.bytes == want.bytes;
  for (size_t i = 0; i < static_cast<size_t>(want.count()); ++i) {
    const double a = FloatAt(have, i), b = FloatAt(want, i);
    const bool same = a == b || (std::isnan(a) && std::isnan(b));
    if (!same && !(std::abs(a - b) <= 1e-5 + 1e-3 * std::abs(b))) return false;
  }
  return true;
}

std::vector<fs::path> Cases() {
  std::set<fs::path> all;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(kFolder, error)) {
    if (entry.path().filename() == "model.onnx") all.insert(entry.path().parent_path());
  }
  const char* wanted = std::getenv("TESSERA_ORT_CASES");
  if (wanted != nullptr && std::string(wanted) == "all") return {all.begin(), all.end()};
  const auto today = std::chrono::system_clock::now().time_since_epoch() / std::chrono::days(1);
  const size_t first =
      wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : static_cast<size_t>(today) % kStep;
  fmt::print("TESSERA_ORT_CASES={}\n", first);
  std::vector<fs::path> some;
  size_t index = 0;
  for (const fs::path& path : all) {
    if (index++ % kStep == first % kStep) some.push_back(path);
  }
  return some;
}

TEST(OnnxCases, GiveOnnxRuntimesValues) {
  std::string why;
  const Wheel* const wheel = Wheel::Get(&why);
  if (wheel == nullptr) GTEST_SKIP() << why;
  const std::vector<fs::path> cases = Cases();
  if (cases.empty()) GTEST_SKIP() << kFolder << " is not there: Debian's libonnx-testdata has it";
  const Wheel::Texts all{{"claim", "all"}}, nothing_else{{"session.disable_cpu_ep_fallback", "1"}};
  size_t ran = 0;
  for (const fs::path& folder : cases) {
    SCOPED_TRACE(folder.filename().string());
    const std::string model = (folder / "model.onnx").string();
    const auto inputs = InputsOf(folder);
    if (!inputs || model.find("bernoulli") != model.npos) continue;
    const auto alone = wheel->Open(model, nullptr), with = wheel->Open(model, &all, nothing_else);
    if (!alone || !with) continue;
    const auto want = wheel->Run(**alone, *inputs);
    if (!want) continue;
    const auto have = wheel->Run(**with, *inputs);
    ASSERT_TRUE(have) << have.error().message;
    ASSERT_EQ(have->size(), want->size());
    for (size_t i = 0; i < want->size(); ++i)
      EXPECT_TRUE(Agree((*have)[i], (*want)[i])) << "output " << i;
    ++ran;
  }
  fmt::print("{} of {} cases ran on Tessera alone\n", ran, cases.size());
  EXPECT_GT(ran, cases.size() / 3);
}

}  // namespace
}  // namespace tessera::ort::cases_test
