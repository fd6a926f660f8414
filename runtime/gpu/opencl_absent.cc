// SPDX-License-Identifier: Apache-2.0
//
// For builds without a dynamic loader: a board's programs are static.
#include "runtime/gpu/opencl_device.h"

namespace tessera {

Result<std::unique_ptr<KernelDevice>> OpenOpenClDevice() {
  return Fail(Code::kUnsupported,
              "device opencl: this program is for boards and opens no driver; choose another");
}

}  // namespace tessera
