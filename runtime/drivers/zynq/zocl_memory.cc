// SPDX-License-Identifier: Apache-2.0
//
// zocl's buffer objects. Numbers and structures repeat those of its public header (zynq_ioctl.h of
// XRT) and of drm.h, so that a build needs neither.
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/drivers/zynq/heap_memory.h"

namespace tessera::zynq {
namespace {

struct DrmVersion {
  int major, minor, patch;
  size_t name_bytes;
  char* name;
  size_t date_bytes;
  char* date;
  size_t text_bytes;
  char* text;
};
struct DrmClose {
  uint32_t handle, pad;
};
struct ZoclCreate {
  uint64_t size;
  uint32_t handle, flags;
};
struct ZoclMap {
  uint32_t handle, pad;
  uint64_t offset;
};
struct ZoclSync {
  uint32_t handle, direction;
  uint64_t offset, size;
};
struct ZoclInfo {
  uint32_t handle;
  uint64_t size, address;
};

// 'd', and the driver's own calls from 0x40 on.
constexpr unsigned long kVersion = _IOWR('d', 0x00, DrmVersion);
constexpr unsigned long kClose = _IOW('d', 0x09, DrmClose);
constexpr unsigned long kCreate = _IOWR('d', 0x40 + 0, ZoclCreate);
constexpr unsigned long kMap = _IOWR('d', 0x40 + 3, ZoclMap);
constexpr unsigned long kSync = _IOWR('d', 0x40 + 4, ZoclSync);
constexpr unsigned long kInfo = _IOWR('d', 0x40 + 5, ZoclInfo);
constexpr uint32_t kContiguous = 1u << 28;  // from CMA: cached, so the driver must synchronise it
constexpr uint32_t kToDevice = 0, kFromDevice = 1;

class ZoclMemory : public MemoryPort {
 public:
  ZoclMemory(std::string path, OpenFile file, uint32_t handle, Kernel& kernel)
      : path_(std::move(path)), file_(std::move(file)), handle_(handle), kernel_(kernel) {}
  ~ZoclMemory() override {
    map_.reset();
    DrmClose close{handle_, 0};
    kernel_.Control(file_.fd(), kClose, &close);
  }

  Status Map(uint64_t bytes) {
    ZoclInfo info{handle_, 0, 0};
    if (kernel_.Control(file_.fd(), kInfo, &info) != 0) return Failed("tells no address");
    ZoclMap map{handle_, 0, 0};
    if (kernel_.Control(file_.fd(), kMap, &map) != 0) return Failed("cannot be mapped");
    if (info.address % 64 != 0 || info.size < bytes) {
      return Fail(Code::kDataLoss, "{}: a buffer of {} bytes at {:#x} for {} bytes wanted", path_,
                  info.size, info.address, bytes);
    }
    bus_ = info.address;
    TESSERA_ASSIGN(map_, MappedFile::Map(file_, path_, map.offset, bytes));
    return {};
  }

  uint64_t size() const override { return map_->size(); }
  uint64_t bus_address() const override { return bus_; }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override {
    if (bytes.empty()) return {};
    std::memcpy(map_->data() + address, bytes.data(), bytes.size());
    return Sync(address, bytes.size(), kToDevice);
  }
  Status Read(uint64_t address, std::span<uint8_t> bytes) override {
    if (bytes.empty()) return {};
    TESSERA_TRY(Sync(address, bytes.size(), kFromDevice));
    std::memcpy(bytes.data(), map_->data() + address, bytes.size());
    return {};
  }

 private:
  std::unexpected<Error> Failed(std::string_view what) const {
    return Fail(Code::kUnavailable, "{}: a buffer of zocl {}: {}", path_, what, SystemError());
  }
  Status Sync(uint64_t address, uint64_t bytes, uint32_t direction) {
    const CacheLines lines = LinesOf(address, bytes, size());
    ZoclSync sync{handle_, direction, lines.begin, lines.bytes};
    if (kernel_.Control(file_.fd(), kSync, &sync) != 0) return Failed("cannot be synchronised");
    return {};
  }

  std::string path_;
  OpenFile file_;
  uint32_t handle_;
  Kernel& kernel_;
  uint64_t bus_ = 0;
  std::unique_ptr<MappedFile> map_;
};

bool IsZocl(const OpenFile& file, Kernel& kernel) {
  char name[16] = {};
  DrmVersion version = {};
  version.name = name;
  version.name_bytes = sizeof name - 1;
  return kernel.Control(file.fd(), kVersion, &version) == 0 && std::strcmp(name, "zocl") == 0;
}

}  // namespace

int Kernel::Control(int fd, unsigned long request, void* argument) {
  return ioctl(fd, request, argument);
}

std::string FindZocl(const std::string& root, Kernel& kernel) {
  for (const std::string& name : NamesIn(root + "/dev/dri")) {
    const std::string path = root + "/dev/dri/" + name;
    if (!name.starts_with("renderD")) continue;
    const Result<OpenFile> file = OpenFile::Open(path);
    if (file && IsZocl(*file, kernel)) return path;
  }
  return "";
}

Result<std::unique_ptr<MemoryPort>> OpenZocl(const std::string& root, uint64_t bytes,
                                             Kernel& kernel) {
  const std::string path = FindZocl(root, kernel);
  if (path.empty()) {
    return Fail(Code::kNotFound,
                "{}/dev/dri: no render node of the driver zocl that this user may open: load zocl, "
                "run as root or in the group render, or choose another memory=",
                root);
  }
  TESSERA_ASSIGN(OpenFile file, OpenFile::Open(path));
  ZoclCreate create{bytes, 0, kContiguous};
  if (kernel.Control(file.fd(), kCreate, &create) != 0) {
    return NoMemoryLeft(path, bytes);
  }
  auto memory = std::make_unique<ZoclMemory>(path, std::move(file), create.handle, kernel);
  TESSERA_TRY(memory->Map(bytes));
  return memory;
}

}  // namespace tessera::zynq
