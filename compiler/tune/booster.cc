// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/booster.h"

#include <xgboost/c_api.h>

#include <cmath>
#include <utility>

#include "compiler/tune/cost_model.h"

namespace tessera::tune {
namespace {

Status Check(int code, const char* what) {
  if (code == 0) return {};
  return Fail(Code::kUnavailable, "xgboost: {}: {}; give --model prior to go on without it", what,
              XGBGetLastError());
}

// A matrix of the library, freed with its owner.
class Matrix {
 public:
  Matrix() = default;
  Matrix(Matrix&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Matrix& operator=(Matrix&&) = delete;
  ~Matrix() {
    if (handle_ != nullptr) XGDMatrixFree(handle_);
  }
  static Result<Matrix> Make(const BoosterRows& rows) {
    std::vector<float> data;
    data.reserve(rows.rows.size() * rows.rows[0].size());
    for (const std::span<const float> row : rows.rows)
      data.insert(data.end(), row.begin(), row.end());
    Matrix made;
    TESSERA_TRY(Check(XGDMatrixCreateFromMat(data.data(), rows.rows.size(), rows.rows[0].size(),
                                             NAN, &made.handle_),
                      "matrix"));
    TESSERA_TRY(Check(XGDMatrixSetFloatInfo(made.handle_, "base_margin", rows.margins.data(),
                                            rows.margins.size()),
                      "base margin"));
    return made;
  }
  DMatrixHandle get() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

}  // namespace

struct Booster::Library {
  BoosterHandle handle = nullptr;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle != nullptr) XGBoosterFree(handle);
  }
};

bool HasXgboost() { return true; }

Booster::Booster() = default;
Booster::Booster(Booster&&) noexcept = default;
Booster& Booster::operator=(Booster&&) noexcept = default;
Booster::~Booster() = default;

Status Booster::Train(const BoosterRows& rows, bool pairs, int trees, const Booster* before) {
  TESSERA_ASSIGN(const Matrix matrix, Matrix::Make(rows));
  const DMatrixHandle handle = matrix.get();
  TESSERA_TRY(Check(XGDMatrixSetFloatInfo(handle, "label", rows.labels.data(), rows.labels.size()),
                    "labels"));
  if (pairs) {
    TESSERA_TRY(Check(XGDMatrixSetUIntInfo(handle, "group", rows.groups.data(), rows.groups.size()),
                      "group"));
  }
  auto library = std::make_unique<Library>();
  TESSERA_TRY(Check(XGBoosterCreate(&handle, 1, &library->handle), "booster"));
  int first = 0;
  if (before != nullptr && before->has_trees()) {
    TESSERA_ASSIGN(const std::string text, before->Text());
    TESSERA_TRY(Check(XGBoosterLoadModelFromBuffer(library->handle, text.data(), text.size()),
                      "trees before"));
    TESSERA_TRY(Check(XGBoosterBoostedRounds(library->handle, &first), "trees before"));
  }
  const std::pair<const char*, const char*> params[] = {
      {"objective", pairs ? "rank:pairwise" : "reg:squarederror"},
      {"max_depth", "6"},
      {"eta", "0.2"},
      {"gamma", "0.0001"},
      {"min_child_weight", "1"},
      {"lambda", "1"},
      {"tree_method", "exact"},
      {"nthread", "1"},
      {"seed", "43"},
      {"verbosity", "0"}};
  for (const auto& [name, value] : params)
    TESSERA_TRY(Check(XGBoosterSetParam(library->handle, name, value), name));
  for (int round = first; round < first + trees; ++round)
    TESSERA_TRY(Check(XGBoosterUpdateOneIter(library->handle, round, handle), "training"));
  library_ = std::move(library);
  return {};
}

Result<std::vector<float>> Booster::Predict(const BoosterRows& rows) const {
  if (library_ == nullptr || rows.rows.empty()) return rows.margins;
  TESSERA_ASSIGN(const Matrix matrix, Matrix::Make(rows));
  bst_ulong count = 0;
  const float* out = nullptr;
  // 1: without the objective's transformation.
  TESSERA_TRY(
      Check(XGBoosterPredict(library_->handle, matrix.get(), 1, 0, 0, &count, &out), "prediction"));
  return std::vector<float>(out, out + count);
}

Result<std::string> Booster::Text() const {
  if (library_ == nullptr) {
    return Fail(Code::kUnavailable,
                "a model without trees: the search had too few trials; give it more");
  }
  bst_ulong count = 0;
  const char* text = nullptr;
  TESSERA_TRY(
      Check(XGBoosterSaveModelToBuffer(library_->handle, R"({"format": "json"})", &count, &text),
            "trees as text"));
  return std::string(text, count);
}

Status Booster::Load(const std::string& text, size_t features) {
  auto library = std::make_unique<Library>();
  bst_ulong found = 0;
  if (XGBoosterCreate(nullptr, 0, &library->handle) != 0 ||
      XGBoosterLoadModelFromBuffer(library->handle, text.data(), text.size()) != 0 ||
      XGBoosterGetNumFeature(library->handle, &found) != 0)
    return Fail(Code::kDataLoss, "xgboost cannot read its trees");
  if (found != features)
    return Fail(Code::kDataLoss, "its trees are of {} features, and not {}", found, features);
  TESSERA_TRY(Check(XGBoosterSetParam(library->handle, "nthread", "1"), "nthread"));
  library_ = std::move(library);
  return {};
}

}  // namespace tessera::tune
