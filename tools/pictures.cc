// SPDX-License-Identifier: Apache-2.0
#include "tools/pictures.h"

#include <algorithm>
#include <filesystem>

#include "runtime/executor/inputs.h"
#include "runtime/tensor/picture.h"

namespace tessera::tools {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostPictureBytes = 0xffffffff;  // of all, in the form of the model's input

Result<std::vector<std::string>> FilesOf(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (fs::directory_iterator it(path, error); !error && it != fs::end(it); it.increment(error)) {
    std::string ending = it->path().extension().string();
    std::ranges::transform(ending, ending.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending == ".png" || ending == ".jpg" || ending == ".jpeg")
      files.push_back(it->path().string());
  }
  if (error) return Fail(Code::kNotFound, "{}: cannot be listed: {}", path, error.message());
  std::ranges::sort(files);
  if (files.empty()) {
    return Fail(Code::kInvalidArgument,
                "{}: no file of this folder ends in .png, .jpg or .jpeg; pictures are read from "
                "those",
                path);
  }
  return files;
}

}  // namespace

Result<Pictures> LoadPictures(const std::string& path, const artifact::TensorInfo& want,
                              const std::string& resize, int64_t first) {
  TESSERA_ASSIGN(std::vector<std::string> files, FilesOf(path));
  const std::optional<size_t> axis = ChannelAxis(want.shape);
  if (!axis || want.shape[0] != 1) {
    return Fail(Code::kInvalidArgument,
                "{}: pictures go into [1, C, H, W] or [1, H, W, C] with C of 1 or 3; input '{}' "
                "is {}; give a .npy file",
                path, want.name, ShapeText(want.shape));
  }
  if (first > std::ssize(files)) {
    return Fail(Code::kOutOfRange, "{}: --first {} but there are {} items", path, first,
                files.size());
  }
  const int64_t all = std::ssize(files);
  if (first > 0) files.resize(static_cast<size_t>(first));
  const bool planes = *axis == 1;
  const int64_t channels = want.shape[*axis], height = want.shape[planes ? 2 : 1],
                width = want.shape[planes ? 3 : 2];
  if (const Result<int64_t> count =
          ElementCount(std::vector{std::ssize(files), channels, height, width}, kMostPictureBytes);
      !count)
    return Within(path, count.error());
  std::vector<int64_t> shape = want.shape;
  shape[0] = std::ssize(files);
  HostTensor items = HostTensor::Zeros(DType::kUint8, std::move(shape));
  size_t out = 0;
  for (const std::string& file : files) {
    TESSERA_ASSIGN(HostTensor picture, ReadPicture(file));
    const int64_t colours = picture.shape[2];
    if (colours > channels) {
      return Fail(Code::kInvalidArgument,
                  "{}: is in colour, input '{}' has one channel; save it in grey first", file,
                  want.name);
    }
    if (picture.shape[0] != height || picture.shape[1] != width) {
      if (resize.empty()) {
        return Fail(Code::kInvalidArgument,
                    "{}: is {} x {}, input '{}' takes {} x {}; give --resize bilinear or nearest",
                    file, picture.shape[1], picture.shape[0], want.name, width, height);
      }
      picture = ResizePicture(picture, height, width,
                              resize == "nearest" ? Resampling::kNearest : Resampling::kBilinear);
    }
    const int64_t outer = planes ? channels : height * width,
                  inner = planes ? height * width : channels;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        const int64_t pixel = planes ? i : o, c = std::min(planes ? o : i, colours - 1);
        items.bytes[out++] = picture.bytes[static_cast<size_t>(pixel * colours + c)];
      }
    }
  }
  return Pictures{std::move(items), all};
}

}  // namespace tessera::tools
