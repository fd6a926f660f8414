// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "sim/rtl/on_demand.h"
#include "sim/rtl/sources.h"

namespace tessera::sim {
namespace {

namespace fs = std::filesystem;

// Folders that may hold prebuilt machines: that of this build, and the one beside an installed
// program.
std::vector<fs::path> PrebuiltFolders() {
  std::vector<fs::path> folders = {TESSERA_RTL_DIR};
  std::error_code ec;
  const fs::path self = fs::read_symlink("/proc/self/exe", ec);
  if (!ec) folders.push_back(self.parent_path().parent_path() / "lib" / "tessera");
  return folders;
}

// The path of the prebuilt machine of |config|, if it was made from the sources as they are now; ""
// if there is none. |changed|: receives the changed source that ruled a machine out.
std::string FindPrebuilt(const isa::Config& config, std::string* changed = nullptr) {
  for (const isa::Config& named : isa::NamedConfigs()) {
    if (named.Hash() != config.Hash()) continue;
    for (const fs::path& folder : PrebuiltFolders()) {
      const fs::path path = folder / ("libtessera_rtl_" + named.name + ".so");
      std::error_code ec;
      if (!fs::exists(path, ec)) continue;
      // An installed machine has no sources around it.
      const bool here = fs::exists(fs::path(TESSERA_SOURCE_DIR) / "hw/rtl/tsr_top.sv", ec);
      const std::string other = here ? ChangedSource(path.string() + ".sources") : "";
      if (other.empty()) return path;
      if (changed != nullptr) *changed = other;
    }
  }
  return "";
}

std::string DefaultCacheDir() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != 0) {
    return std::string(xdg) + "/tessera";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) {
    return std::string(home) + "/.cache/tessera";
  }
  return "";
}

}  // namespace

RtlPlugin::~RtlPlugin() { dlclose(handle_); }

std::unique_ptr<RtlMachine> RtlPlugin::NewMachine(const RtlMachineOptions& options) const {
  return std::unique_ptr<RtlMachine>(make_(&options));
}

Result<std::shared_ptr<RtlPlugin>> RtlPlugin::Open(const std::string& path,
                                                   const isa::Config& config) {
  // Without a '/', |path| names a file of the current folder, but dlopen would search the system's
  // folders.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return Fail(Code::kUnsupported, "{}: cannot be loaded: {}", path, dlerror());
  const auto info_of = reinterpret_cast<void (*)(RtlPluginInfo*)>(dlsym(handle, "TesseraRtlInfo"));
  const auto make =
      reinterpret_cast<RtlMachine* (*)(const RtlMachineOptions*)>(dlsym(handle, "TesseraRtlNew"));
  RtlPluginInfo info;
  if (info_of != nullptr) info_of(&info);
  if (make == nullptr || info.version != kRtlPluginVersion || info.config_hash != config.Hash()) {
    dlclose(handle);
    return Fail(Code::kUnsupported,
                "{}: is not this version's machine of configuration {} (version {}, hash {:016x}; "
                "wanted {}, "
                "{:016x}); remove it or build again",
                path, config.name, info.version, info.config_hash, kRtlPluginVersion,
                config.Hash());
  }
  return std::shared_ptr<RtlPlugin>(new RtlPlugin(handle, make));
}

Result<std::shared_ptr<RtlPlugin>> FindRtlPlugin(const isa::Config& config, WaveKind wave,
                                                 const std::string& cache_dir) {
  if (wave == WaveKind::kNone) {
    std::string changed;
    const std::string path = FindPrebuilt(config, &changed);
    if (!path.empty()) return RtlPlugin::Open(path, config);
    if (!changed.empty()) {
      std::fprintf(stderr,
                   "tessera: the prebuilt machine of %s is of another %s; building the project "
                   "renews it\n",
                   config.name.c_str(), changed.c_str());
    }
  }
  const std::string folder = cache_dir.empty() ? DefaultCacheDir() : cache_dir;
  if (folder.empty()) {
    return Fail(
        Code::kUnavailable,
        "configuration {}: no folder to keep the verilated machine in: set XDG_CACHE_HOME or HOME",
        config.name);
  }
  TESSERA_ASSIGN(const std::string path, BuildOnDemand(config, wave, folder));
  return RtlPlugin::Open(path, config);
}

Result<std::string> RtlMachinesHere() {
  std::vector<std::string> built;
  for (const isa::Config& config : isa::NamedConfigs()) {
    if (!FindPrebuilt(config).empty()) built.push_back(config.name);
  }
  const Result<std::string> tool = VerilatorHere();
  if (built.empty() && !tool) return std::unexpected(tool.error());
  std::string text = fmt::format("machines of {}", fmt::join(built, ", "));
  if (built.empty()) text = "no machine yet";
  return text + (tool ? fmt::format("; others by {} on first use", *tool)
                      : "; no others: " + tool.error().message);
}

}  // namespace tessera::sim
