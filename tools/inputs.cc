// SPDX-License-Identifier: Apache-2.0
#include "tools/inputs.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ranges>

#include "runtime/tensor/elements.h"
#include "runtime/tensor/npy.h"
#include "runtime/tensor/npz.h"
#include "runtime/tensor/picture.h"
#include "tools/pictures.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

void AddPixelOptions(CLI::App& verb, InputOptions& options) {
  verb.add_option(
      "--scale", options.scale,
      "uint8 pixels for a float, int8 or int16 input become (p * scale - mean) / std; the "
      "scale is 1/255 unless given, so that mean and std are in units of 0 to 1");
  verb.add_option("--mean", options.mean, "one number, or one a channel: 0.485,0.456,0.406 (0)")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--std", options.std, "one number, or one a channel: 0.229,0.224,0.225 (1)")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--resize", options.resize,
                  "how pictures get the model's height and width: bilinear (of the four pixels "
                  "around it, middles of pixels at .5) or nearest; else other extents are refused")
      ->check(CLI::IsMember({"bilinear", "nearest"}));
}

constexpr const char* kForms =
    ".npy [N, ...] in the model's input type and layout, IDX images (also .gz), PNG or JPEG files "
    "(8 bits, grey or RGB) or a folder of them in the order of their names; of several inputs "
    "NAME=FILE, repeated, or one .npz with arrays by their names";

std::string NamesOf(const std::vector<artifact::TensorInfo>& tensors) {
  return fmt::format("{}",
                     fmt::join(std::views::transform(tensors, &artifact::TensorInfo::name), ", "));
}

// Reads the items of a file or folder and counts them; a folder gives only the first items wanted.
Result<Pictures> ReadItems(const std::string& path, const artifact::TensorInfo& want,
                           const InputOptions& options) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error) || LooksLikePicture(path))
    return LoadPictures(path, want, options.resize, options.first);
  TESSERA_ASSIGN(HostTensor items, ReadTensorFile(path));
  AddItemAxis(want, items);
  const Result<int64_t> count = CountInferences(want, items);
  if (!count) return Within(path, count.error());
  return Pictures{std::move(items), *count};
}

// The arrays of an archive, matched to the inputs of |net| by name; a single array for a single
// input may have any name.
Result<std::vector<HostTensor>> ReadArchive(const std::string& path,
                                            const artifact::Artifact& net) {
  TESSERA_ASSIGN(auto arrays, ReadNpz(path));
  if (net.inputs.size() == 1 && arrays.size() == 1) arrays[0].first = net.inputs[0].name;
  for (const auto& [name, array] : arrays) {
    if (std::ranges::count(net.inputs, name, &artifact::TensorInfo::name) == 0) {
      return Fail(Code::kInvalidArgument, "{}: array '{}' is no input; the inputs are {}", path,
                  name, NamesOf(net.inputs));
    }
  }
  std::vector<HostTensor> items;
  for (const artifact::TensorInfo& want : net.inputs) {
    const auto found =
        std::ranges::find_if(arrays, [&](const auto& array) { return array.first == want.name; });
    if (found == arrays.end())
      return Fail(Code::kInvalidArgument, "{}: has no array '{}' for that input", path, want.name);
    AddItemAxis(want, found->second);
    items.push_back(std::move(found->second));
  }
  return items;
}

Result<std::vector<int64_t>> ReadLabels(const std::string& path, int64_t items) {
  TESSERA_ASSIGN(const HostTensor labels, ReadTensorFile(path));
  if (IsFloat(labels.dtype) || labels.dtype == DType::kBool || labels.count() != items) {
    return Fail(Code::kInvalidArgument,
                "{}: holds {} of shape {}; one whole number for each of the {} items is needed",
                path, Text(labels.dtype), ShapeText(labels.shape), items);
  }
  std::vector<int64_t> numbers;
  VisitElements(labels, [&](auto element) { numbers.push_back(static_cast<int64_t>(element)); });
  if (const auto below = std::ranges::find_if(numbers, [](int64_t n) { return n < 0; });
      below != numbers.end()) {
    return Fail(Code::kInvalidArgument, "{}: label {} of item {}; classes count from 0", path,
                *below, below - numbers.begin());
  }
  return numbers;
}

// Applies the options of pixels to the inputs that take pixels.
Status TellPixels(const InputOptions& options, const artifact::Artifact& net,
                  const std::vector<std::string>& files, Inputs& inputs) {
  PixelRule& rule = inputs.pixels;
  rule.given = options.scale || !options.mean.empty() || !options.std.empty();
  if (options.scale) rule.scale = *options.scale;
  if (!options.mean.empty()) rule.mean = options.mean;
  if (!options.std.empty()) rule.std = options.std;
  for (size_t i = 0; i < net.inputs.size(); ++i) {
    const artifact::TensorInfo& want = net.inputs[i];
    if (!ArePixels(want, inputs.items[i])) continue;
    if (const Status fits = CheckPixelRule(want, rule); !fits)
      return Within(files[i], fits.error());
    inputs.pixels_line +=
        fmt::format("input '{}': a pixel p becomes {}{}\n", want.name, PixelText(want, rule),
                    rule.given ? "" : "; --mean, --std and --scale change that");
  }
  if (rule.given && inputs.pixels_line.empty()) {
    return Fail(Code::kInvalidArgument,
                "--mean, --std, --scale: are for uint8 pixels; {} holds values of the model's own "
                "type",
                fmt::join(files, ", "));
  }
  return {};
}

}  // namespace

void AddInputOptions(CLI::App& verb, InputOptions& options) {
  verb.add_option(options.flag, options.input, std::string("items: ") + kForms)
      ->required()
      ->allow_extra_args(false);
  verb.add_option("--labels", options.labels,
                  "IDX or .npy file with one whole number an item: the right class");
  verb.add_option("--first", options.first, "only the first N items")->check(CountFromOne());
  AddPixelOptions(verb, options);
}

void AddOneInputOption(CLI::App& verb, InputOptions& options) {
  verb.add_option("--input", options.input,
                  std::string("the first item (default: zeros; cycles are the same) of ") + kForms)
      ->allow_extra_args(false);
  AddPixelOptions(verb, options);
}

std::vector<HostTensor> Inputs::Items(int64_t first, int64_t many) const {
  std::vector<HostTensor> some;
  for (const HostTensor& input : items) some.push_back(input.Slice(first, many));
  return some;
}

Result<std::vector<std::string>> FilesByName(const std::vector<std::string>& given,
                                             const std::vector<artifact::TensorInfo>& tensors,
                                             const std::string& option, const std::string& kind) {
  std::vector<std::string> files(tensors.size());
  for (const std::string& text : given) {
    size_t at = 0, length = 0;  // of the longest name that begins |text|
    for (size_t t = 0; t < tensors.size(); ++t) {
      const std::string& name = tensors[t].name;
      if (text.starts_with(name + "=") && name.size() + 1 > length)
        at = t, length = name.size() + 1;
    }
    std::error_code error;
    const bool named =
        length == 0 && text.find('=') != std::string::npos && !std::filesystem::exists(text, error);
    if (named || (length == 0 && tensors.empty())) {
      return Fail(Code::kInvalidArgument, "{} {}: no such name; the {} are {}", option, text, kind,
                  NamesOf(tensors));
    }
    if (length == 0 && tensors.size() > 1) {
      return Fail(Code::kInvalidArgument, "{} {}: the model has {} {}, {}: give {} NAME=FILE",
                  option, text, tensors.size(), kind, NamesOf(tensors), option);
    }
    if (!files[at].empty())
      return Fail(Code::kInvalidArgument, "{} {}: '{}' has {} already", option, text,
                  tensors[at].name, files[at]);
    files[at] = text.substr(length);
    if (files[at].empty())
      return Fail(Code::kInvalidArgument, "{} {}: names no file", option, text);
  }
  return files;
}

Result<Inputs> LoadInputs(const InputOptions& options, const artifact::Artifact& net) {
  Inputs inputs;
  std::vector<std::string> files;
  std::vector<int64_t> counts;  // of the files, before --first
  if (options.input.size() == 1 && LooksLikeNpz(options.input[0])) {
    files.assign(net.inputs.size(), options.input[0]);
    TESSERA_ASSIGN(inputs.items, ReadArchive(options.input[0], net));
    for (size_t i = 0; i < files.size(); ++i) {
      const Result<int64_t> count = CountInferences(net.inputs[i], inputs.items[i]);
      if (!count) return Within(files[i], count.error());
      counts.push_back(*count);
    }
  } else {
    TESSERA_ASSIGN(files, FilesByName(options.input, net.inputs, options.flag, "inputs"));
    for (size_t i = 0; i < files.size(); ++i) {
      if (files[i].empty()) {
        return Fail(Code::kInvalidArgument, "input '{}' has no file; give {} {}=FILE, too",
                    net.inputs[i].name, options.flag, net.inputs[i].name);
      }
      TESSERA_ASSIGN(Pictures items, ReadItems(files[i], net.inputs[i], options));
      inputs.items.push_back(std::move(items.items));
      counts.push_back(items.all);
    }
  }
  inputs.count = counts.empty() ? 1 : counts[0];
  for (size_t i = 0; i < files.size(); ++i) {
    if (counts[i] == 0) {
      return Fail(Code::kInvalidArgument, "{}: shape {} holds no items", files[i],
                  ShapeText(inputs.items[i].shape));
    }
    if (counts[i] != inputs.count) {
      return Fail(Code::kInvalidArgument, "{}: holds {} items for '{}', {} holds {} for '{}'",
                  files[i], counts[i], net.inputs[i].name, files[0], inputs.count,
                  net.inputs[0].name);
    }
  }
  inputs.all = inputs.count;
  if (options.first > inputs.count) {
    return Fail(Code::kOutOfRange, "{}: --first {} but there are {} items", fmt::join(files, ", "),
                options.first, inputs.count);
  }
  TESSERA_TRY(TellPixels(options, net, files, inputs));
  if (!options.labels.empty()) {
    TESSERA_ASSIGN(inputs.labels, ReadLabels(options.labels, inputs.count));
  }
  if (options.first > 0) {
    for (HostTensor& items : inputs.items) {
      if (items.shape[0] > options.first) items = items.Slice(0, options.first);
    }
    if (!inputs.labels.empty()) inputs.labels.resize(static_cast<size_t>(options.first));
    inputs.count = options.first;
  }
  return inputs;
}

}  // namespace tessera::tools
