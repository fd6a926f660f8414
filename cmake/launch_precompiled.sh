#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A compiler launcher for targets with precompiled headers.
#
#   launch_precompiled.sh SOURCE_DIR CCACHE COMPILER ARG ...
#
# ccache accepts a compilation with such headers only if told to ignore their macros and times. The
# header itself is compiled without ccache: ccache 4.7 takes the old precompiled header, which lies
# where the new one will lie, for an input in place of the headers in it, and so may return one that
# was made from other headers.
#
# Exit status: the compiler's.
set -eu
source_dir=$1 ccache=$2
shift 2
for word do
  if [ "$word" = c++-header ]; then exec "$@"; fi
done
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR="$source_dir" CCACHE_NOHASHDIR=1
exec "$ccache" "$@"
