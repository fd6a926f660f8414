# XRT, which runtime/drivers/xrt needs and nothing else: TESSERA_XRT says whether it is here, as tessera::xrt_library.
# TESSERA_XRT_EMULATED: its software emulation is here too, which tests use instead of a card
# (sim/xrt). AMD's package is in /opt/xilinx/xrt, or in the folder of XILINX_XRT; Debian's libxrt-dev
# is with the system's headers.
set(xrt_roots $ENV{XILINX_XRT} /opt/xilinx/xrt)
find_path(TESSERA_XRT_INCLUDE xrt/xrt_device.h HINTS ${xrt_roots} PATH_SUFFIXES include include/xrt xrt)
find_path(TESSERA_UUID_INCLUDE uuid/uuid.h)  # for XRT's headers
find_library(TESSERA_XRT_LIBRARY xrt_coreutil HINTS ${xrt_roots} PATH_SUFFIXES lib)
mark_as_advanced(TESSERA_XRT_INCLUDE TESSERA_UUID_INCLUDE TESSERA_XRT_LIBRARY)
if(TESSERA_XRT_INCLUDE AND TESSERA_UUID_INCLUDE AND TESSERA_XRT_LIBRARY)
  set(TESSERA_XRT ON)
  message(STATUS "XRT: ${TESSERA_XRT_LIBRARY}")
  add_library(tessera_xrt_library INTERFACE)
  add_library(tessera::xrt_library ALIAS tessera_xrt_library)
  target_include_directories(tessera_xrt_library SYSTEM INTERFACE ${TESSERA_XRT_INCLUDE})
  target_link_libraries(tessera_xrt_library INTERFACE ${TESSERA_XRT_LIBRARY})
else()
  set(TESSERA_XRT OFF)
  message(STATUS "XRT: not found, so --device xrt and its tests are left out (Debian: libxrt-dev and uuid-dev)")
endif()
# A sanitizer must be next to malloc, but sim/xrt/alloc_void.cc stands between, so builds with a
# sanitizer have no emulation. TESSERA_XRT_UNTESTED says why it is left out.
set(TESSERA_XRT_EMULATED OFF)
if(NOT TESSERA_XRT)
  set(TESSERA_XRT_UNTESTED "this build has no XRT")
elseif(TESSERA_SANITIZE)
  set(TESSERA_XRT_UNTESTED "XRT's emulation does not go with sanitizers")
else()
  get_filename_component(xrt_folder ${TESSERA_XRT_LIBRARY} DIRECTORY)
  find_file(TESSERA_XRT_SWEMU libxrt_swemu.so.2 PATHS ${xrt_folder} NO_DEFAULT_PATH)
  mark_as_advanced(TESSERA_XRT_SWEMU)
  if(TESSERA_XRT_SWEMU)
    set(TESSERA_XRT_EMULATED ON)
    set(TESSERA_XRT_EMULATION ${PROJECT_BINARY_DIR}/xrt_emulation)  # the folder that sim/xrt fills
  else()
    set(TESSERA_XRT_UNTESTED "there is no libxrt_swemu.so.2 beside ${TESSERA_XRT_LIBRARY}")
  endif()
endif()
if(TESSERA_XRT AND NOT TESSERA_XRT_EMULATED)
  message(STATUS "XRT: ${TESSERA_XRT_UNTESTED}, so tests of --device xrt are left out")
endif()
