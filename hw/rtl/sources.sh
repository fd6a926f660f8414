# SPDX-License-Identifier: Apache-2.0
#
# What hw/rtl/files.f lists, for shell scripts that source this file with $rtl set to hw/rtl: full paths, one a line.
rtl_files() { sed -n "s|^[a-z]|$rtl/&|p" "$rtl/files.f"; }
rtl_packages() { rtl_files | grep '_pkg\.sv$'; }
rtl_modules() { rtl_files | grep '\.sv$' | grep -v '_pkg\.sv$'; }
rtl_folders() { rtl_files | sed 's|/[^/]*$||' | awk '!seen[$0]++'; }
