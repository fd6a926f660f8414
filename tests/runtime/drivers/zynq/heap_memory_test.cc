// SPDX-License-Identifier: Apache-2.0
//
// What is tested: memory from zocl and from a dma-heap: the requests to the kernel and their order,
// addresses, cache maintenance, and every way to fail with its message. Space: a simulated kernel
// in this test, which answers ioctl calls by the numbers of the public headers. Not tested here:
// the kernel's own side; this driver has never run on a real zocl or dma-heap.
#include "runtime/drivers/zynq/heap_memory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "tests/runtime/drivers/zynq/simulated_root.h"

namespace tessera::zynq::heap_memory_test {
namespace {

using ::testing::HasSubstr;
constexpr uint64_t kBytes = 1 << 20;

template <typename T>
void ExpectFails(const Result<T>& result, Code code, const std::vector<std::string>& words) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, code) << result.error().message;
  for (const std::string& word : words) EXPECT_THAT(result.error().message, HasSubstr(word));
}

// zocl with one buffer, whose bytes are those of the device file. Call numbers in 'd' (drm.h: 0x00
// version, 0x09 close; zynq_ioctl.h from 0x40: create, -, -, map, sync, info).
class ZoclKernel : public Kernel {
 public:
  int Control(int, unsigned long request, void* argument) override {
    const unsigned number = request & 0xff, bytes = request >> 16 & 0x3fff;
    EXPECT_EQ(request >> 8 & 0xff, static_cast<unsigned long>('d'));
    auto* words = static_cast<uint32_t*>(argument);
    auto* longs = static_cast<uint64_t*>(argument);
    calls.push_back(number);
    if (number == fails) {
      errno = error;
      return -1;
    }
    switch (number) {
      case 0x00: {  // three ints, then the length and the address of the name
        auto* name = *reinterpret_cast<char**>(static_cast<char*>(argument) +
                                               (sizeof(void*) == 8 ? 24 : 16));
        std::strcpy(name, driver.c_str());
        return 0;
      }
      case 0x40:
        EXPECT_EQ(bytes, 16u);
        EXPECT_EQ(longs[0], kBytes);
        EXPECT_EQ(words[3], 1u << 28);  // CMA
        words[2] = 5;
        return 0;
      case 0x43:
        EXPECT_EQ(bytes, 16u);
        EXPECT_EQ(words[0], 5u);
        longs[1] = 0;
        return 0;
      case 0x44:
        EXPECT_EQ(bytes, 24u);
        EXPECT_EQ(words[0], 5u);
        syncs.push_back({words[1], longs[1], longs[2]});
        return 0;
      case 0x45:
        EXPECT_EQ(bytes, 24u);
        EXPECT_EQ(words[0], 5u);
        longs[1] = kBytes;
        longs[2] = address;
        return 0;
      case 0x09:
        EXPECT_EQ(words[0], 5u);
        return 0;
      default:
        ADD_FAILURE() << number;
        return -1;
    }
  }

  std::string driver = "zocl";
  uint64_t address = 0x30000000;
  unsigned fails = 0xff;
  int error = ENOMEM;
  std::vector<unsigned> calls;
  std::vector<std::vector<uint64_t>> syncs;  // direction, offset, size
};

class Zocl : public ::testing::Test {
 protected:
  void SetUp() override {
    root_.Put("dev/dri/card0", "");
    root_.Put("dev/dri/renderD128", std::string(kBytes, 0));
  }
  SimulatedRoot root_;
  ZoclKernel kernel_;
};

TEST_F(Zocl, GivesABufferWithItsAddress) {
  EXPECT_EQ(FindZocl(root_.path(), kernel_), root_.At("dev/dri/renderD128"));
  kernel_.calls.clear();
  {
    auto memory = OpenZocl(root_.path(), kBytes, kernel_);
    ASSERT_TRUE(memory) << memory.error().message;
    EXPECT_EQ((*memory)->size(), kBytes);
    EXPECT_EQ((*memory)->bus_address(), 0x30000000u);
    const std::vector<uint8_t> bytes = {1, 2, 3};
    ASSERT_TRUE((*memory)->Write(127, bytes));
    std::vector<uint8_t> back(3);
    ASSERT_TRUE((*memory)->Read(127, back));
    EXPECT_EQ(back, bytes);
    EXPECT_EQ(kernel_.syncs, (std::vector<std::vector<uint64_t>>{{0, 64, 128}, {1, 64, 128}}));
  }
  EXPECT_EQ(kernel_.calls, (std::vector<unsigned>{0x00, 0x40, 0x45, 0x43, 0x44, 0x44, 0x09}));
}

TEST_F(Zocl, IsNotAnotherGraphicsDriver) {
  kernel_.driver = "lima";
  EXPECT_EQ(FindZocl(root_.path(), kernel_), "");
  ExpectFails(OpenZocl(root_.path(), kBytes, kernel_), Code::kNotFound, {"zocl", "memory="});
}

TEST_F(Zocl, NoContiguousMemoryLeft) {
  kernel_.fails = 0x40;
  ExpectFails(OpenZocl(root_.path(), kBytes, kernel_), Code::kUnavailable,
              {"renderD128", "no contiguous memory left for 1048576 bytes", "mib=", "cma="});
}

TEST_F(Zocl, CallsThatFailGiveTheBufferBack) {
  kernel_.error = EINVAL;
  for (const unsigned call : {0x45u, 0x43u}) {
    kernel_.fails = call;
    kernel_.calls.clear();
    ExpectFails(OpenZocl(root_.path(), kBytes, kernel_), Code::kUnavailable, {"renderD128"});
    EXPECT_EQ(kernel_.calls.back(), 0x09u) << call;
  }
  kernel_.fails = 0xff;
  kernel_.address = 0x30000020;
  ExpectFails(OpenZocl(root_.path(), kBytes, kernel_), Code::kDataLoss, {"0x30000020"});
  kernel_.address = 0x30000000;
  auto memory = OpenZocl(root_.path(), kBytes, kernel_);
  ASSERT_TRUE(memory);
  kernel_.fails = 0x44;
  const std::vector<uint8_t> bytes(1);
  ExpectFails((*memory)->Write(0, bytes), Code::kUnavailable, {"synchronised"});
}

// A heap whose buffers are files without a name.
class HeapKernel : public Kernel {
 public:
  int Control(int, unsigned long request, void* argument) override {
    if (full) {
      errno = ENOMEM;
      return -1;
    }
    if (request == DMA_HEAP_IOCTL_ALLOC) {
      auto* wanted = static_cast<dma_heap_allocation_data*>(argument);
      const int fd = memfd_create("heap", MFD_CLOEXEC);
      EXPECT_EQ(ftruncate(fd, static_cast<off_t>(wanted->len)), 0);
      wanted->fd = static_cast<uint32_t>(fd);
      return 0;
    }
    EXPECT_EQ(request, DMA_BUF_IOCTL_SYNC);
    syncs.push_back(static_cast<dma_buf_sync*>(argument)->flags);
    if (std::exchange(interrupted, false)) {
      errno = EINTR;
      return -1;
    }
    return 0;
  }
  bool full = false, interrupted = false;
  std::vector<uint64_t> syncs;
};

class DmaHeap : public ::testing::Test {
 protected:
  SimulatedRoot root_;
  HeapKernel kernel_;
};

TEST_F(DmaHeap, OnlyOneOfContiguousMemoryWillDo) {
  EXPECT_EQ(FindDmaHeap(root_.path()), "");
  root_.Put("dev/dma_heap/system", "");
  EXPECT_EQ(FindDmaHeap(root_.path()), "");
  ExpectFails(OpenDmaHeap(root_.path(), kBytes, kernel_), Code::kNotFound, {"CMA", "memory="});
  root_.Put("dev/dma_heap/reserved", "");
  EXPECT_EQ(FindDmaHeap(root_.path()), root_.At("dev/dma_heap/reserved"));
}

TEST_F(DmaHeap, IsRefusedWhereNobodyTellsTheAddress) {
  root_.Put("dev/dma_heap/reserved", "");
  ExpectFails(OpenDmaHeap(root_.path(), kBytes, kernel_), Code::kUnavailable,
              {"does not tell the bus address", "pagemap", "root", "u-dma-buf"});
}

TEST_F(DmaHeap, NoContiguousMemoryLeft) {
  root_.Put("dev/dma_heap/reserved", "");
  kernel_.full = true;
  ExpectFails(OpenDmaHeap(root_.path(), kBytes, kernel_), Code::kUnavailable,
              {"no contiguous memory left for 1048576 bytes", "mib=", "cma="});
}

}  // namespace
}  // namespace tessera::zynq::heap_memory_test
