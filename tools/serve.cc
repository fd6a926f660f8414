// SPDX-License-Identifier: Apache-2.0
//
// tessera serve: serves a device to other processes of this computer.
#include "runtime/drivers/remote/serve.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tools/devices.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct ServeFlags {
  std::string device = "func", socket;
};

Result<int> ServeDevice(const ServeFlags& flags) {
  TESSERA_ASSIGN(const DeviceSpec spec, ParseDeviceSpec(flags.device));
  TESSERA_TRY(
      remote::Serve({.socket = flags.socket, .device = spec.name, .values = spec.values}, [&] {
        std::printf("serving %s at %s; Ctrl-C ends it\n", flags.device.c_str(),
                    flags.socket.c_str());
        std::fflush(stdout);
      }));
  // Threads of connections may be in a run, which nobody wants any more.
  std::_Exit(kExitOk);
}

}  // namespace

Action AddServe(CLI::App& app) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* verb = app.add_subcommand(
      "serve", "serve a device to other processes of this computer, as their device remote");
  verb->add_option("--device", flags->device, "what each of them gets: NAME or NAME:option=value")
      ->capture_default_str();
  verb->add_option("--socket", flags->socket, "where: a path, which this user alone may open")
      ->required();
  verb->footer(
      "Example: tessera serve --device func --socket /tmp/mine.sock\n"
      "         tessera run net.tsr --device remote:socket=/tmp/mine.sock --input IMAGES.idx.gz");
  return [flags] { return ServeDevice(*flags); };
}

}  // namespace tessera::tools
