// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

#include "base/error.h"

namespace tessera {

void CheckFailed(const char* file, int line, const char* condition, const std::string& detail) {
  std::fprintf(stderr, "%s:%d: check failed: %s%s%s\n", file, line, condition,
               detail.empty() ? "" : ": ", detail.c_str());
  std::abort();
}

const char* CodeName(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return "InvalidArgument";
    case Code::kOutOfRange:
      return "OutOfRange";
    case Code::kNotFound:
      return "NotFound";
    case Code::kUnsupported:
      return "Unsupported";
    case Code::kTimeout:
      return "Timeout";
    case Code::kDeadlock:
      return "Deadlock";
    case Code::kDataLoss:
      return "DataLoss";
    case Code::kUnavailable:
      return "Unavailable";
  }
  CheckFailed(__FILE__, __LINE__, "known code", "");
}

}  // namespace tessera
