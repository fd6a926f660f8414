# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=file.cc -DHEADER=a/b.h -DNAMESPACE=x::y -DFILES=a;b -P embed.cmake: writes C++ with the text of each file as
# x::y::EmbeddedFile("a"), which HEADER declares.
set(text "// Made by cmake/embed.cmake.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
string(APPEND text "std::string_view EmbeddedFile(std::string_view name) {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" content)
  string(APPEND text "  if (name == \"${name}\") return R\"embed(${content})embed\";\n")
endforeach()
string(APPEND text "  return {};\n}\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUT}" "${text}")
