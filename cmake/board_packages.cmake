# The packages that a build for a board uses (TESSERA_RUNTIME_ONLY), without any library of the board's processor:
# nlohmann-json and CLI11 as headers, fmt and GoogleTest from their sources. Debian puts these headers beside
# those of this computer's C library, which the build must not see. So each package is linked into a
# folder of its own.
set(include ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${include})
find_path(TESSERA_FMT fmt/format.h PATHS /usr/include NO_DEFAULT_PATH REQUIRED)
find_path(TESSERA_JSON nlohmann/json.hpp PATHS /usr/include NO_DEFAULT_PATH REQUIRED)
find_path(TESSERA_CLI11 CLI/CLI.hpp PATHS /usr/include NO_DEFAULT_PATH REQUIRED)
find_path(TESSERA_GOOGLETEST CMakeLists.txt PATHS /usr/src/googletest NO_DEFAULT_PATH REQUIRED)
foreach(package ${TESSERA_FMT}/fmt ${TESSERA_JSON}/nlohmann ${TESSERA_CLI11}/CLI)
  get_filename_component(name ${package} NAME)
  file(CREATE_LINK ${package} ${include}/${name} SYMBOLIC)
endforeach()
foreach(target fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${include})
endforeach()
# The header format-inl.h has the definitions of fmt's library. Compiled in one place they save a third of the
# compile time of every file that formats (FMT_HEADER_ONLY compiles them in each).
# fmt/format.h declares these four templates and leaves them to the library.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/board_fmt.cc CONTENT [[
#include <fmt/format-inl.h>
FMT_BEGIN_NAMESPACE
namespace detail {
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl<char>(locale_ref);
template dragonbox::decimal_fp<float> dragonbox::to_decimal<float>(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal<double>(double) noexcept;
}
FMT_END_NAMESPACE
]] @ONLY)
add_library(tessera_board_fmt STATIC ${PROJECT_BINARY_DIR}/board_fmt.cc)
target_include_directories(tessera_board_fmt SYSTEM PRIVATE ${include})
target_link_libraries(fmt::fmt INTERFACE tessera_board_fmt)
tessera_cold(tessera_board_fmt)
set(INSTALL_GTEST OFF CACHE BOOL "" FORCE)
add_subdirectory(${TESSERA_GOOGLETEST} ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
tessera_cold(gtest gmock gtest_main)
find_package(Threads REQUIRED)
