// SPDX-License-Identifier: Apache-2.0
#include "tools/compare_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/executor/inputs.h"
#include "runtime/tensor/elements.h"
#include "runtime/tensor/npy.h"
#include "tools/classes.h"

namespace tessera::tools {
namespace {

std::vector<double> Real(const HostTensor& tensor, const std::optional<artifact::Affine>& quant) {
  std::vector<double> real;
  VisitElements(tensor, [&](auto element) {
    const auto value = static_cast<double>(element);
    real.push_back(quant ? quant->scale * (value - quant->zero) : value);
  });
  return real;
}

}  // namespace

Result<ReferenceOutput> ReferenceOutput::Read(const std::string& path,
                                              const artifact::TensorInfo& output, int64_t items,
                                              int64_t all) {
  ReferenceOutput made;
  made.path_ = path;
  TESSERA_ASSIGN(made.reference_, ReadTensorFile(path));
  HostTensor& reference = made.reference_;
  AddItemAxis(output, reference);
  std::vector<int64_t> wanted = ItemShape(output.shape);
  wanted.insert(wanted.begin(), all);
  if (!reference.shape.empty() && reference.shape[0] == items) wanted[0] = items;
  if (reference.shape != wanted) {
    return Fail(Code::kInvalidArgument,
                "{}: is {} {}; a reference for output '{}' of these inputs is {}", path,
                Text(reference.dtype), ShapeText(reference.shape), output.name, ShapeText(wanted));
  }
  if (IsFloat(reference.dtype) && !IsFloat(output.dtype)) made.quant_ = output.quant;
  made.classifies_ = ClassOutput({output}).has_value();
  return made;
}

void ReferenceOutput::Add(int64_t i, const HostTensor& value) {
  const HostTensor item = reference_.Slice(i, 1);
  const std::vector<double> a = Real(value, quant_), b = Real(item, std::nullopt);
  for (size_t k = 0; k < a.size(); ++k) {
    const double difference = std::abs(a[k] - b[k]);
    // A NaN must stay.
    max_difference_ = std::isnan(difference) ? difference : std::max(max_difference_, difference);
    ab_ += a[k] * b[k];
    aa_ += a[k] * a[k];
    bb_ += b[k] * b[k];
    difference_ += difference * difference;
  }
  if (classifies_) agree_ += TopClasses(value, 1) == TopClasses(item, 1);
  ++items_;
}

double ReferenceOutput::cosine() const {
  return aa_ == 0 && bb_ == 0 ? 1.0 : ab_ / std::sqrt(aa_ * bb_);
}

double ReferenceOutput::snr_db() const {
  if (difference_ == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(bb_ / difference_);
}

nlohmann::ordered_json ReferenceOutput::Json() const {
  using OrderedJson = nlohmann::ordered_json;
  const auto number = [](double v) { return std::isfinite(v) ? OrderedJson(v) : OrderedJson(); };
  return {{"file", path_},
          {"items", items_},
          {"agree", classifies_ ? OrderedJson(agree_) : OrderedJson()},
          {"max_difference", number(max_difference_)},
          {"cosine", number(cosine())},
          {"snr_db", number(snr_db())}};
}

}  // namespace tessera::tools
