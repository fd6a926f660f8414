// SPDX-License-Identifier: Apache-2.0
//
// Stands for the card in a build without XRT.
#include "runtime/drivers/xrt/xrt_card.h"

namespace tessera {

Status HaveXrt() {
  return Fail(Code::kUnsupported,
              "xrt: this build has no XRT: install Debian's libxrt-dev and uuid-dev or AMD's XRT "
              "package, configure again (cmake --preset release says whether it is found) and "
              "build");
}

Result<std::shared_ptr<XrtCard>> OpenCard(const CardRequest& /*request*/) {
  return std::unexpected(HaveXrt().error());
}

Result<std::string> CardsHere() { return std::unexpected(HaveXrt().error()); }

}  // namespace tessera
