// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include "base/check.h"
#include "base/text.h"

namespace tessera {

Error::Error(Code why, std::string_view text) : code(why), message(Legible(text)) {}

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
  TESSERA_CHECK(false, "code {}", static_cast<int>(code));
}

}  // namespace tessera
