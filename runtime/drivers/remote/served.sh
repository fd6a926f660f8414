#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command while `tessera serve` serves a device, which the command finds as device remote;
# TESSERA_SERVER is its process:
#
#   runtime/drivers/remote/served.sh build/bin/tessera func COMMAND [ARGUMENT...]
set -uo pipefail
[ $# -gt 2 ] || { echo "usage: $0 TESSERA DEVICE COMMAND [ARGUMENT...]" >&2; exit 2; }
folder=$(mktemp -d)
export TESSERA_SOCKET=$folder/device
"$1" serve --device "$2" --socket "$TESSERA_SOCKET" > "$folder/said" 2>&1 &
export TESSERA_SERVER=$!
trap 'kill "$TESSERA_SERVER" 2>/dev/null; rm -rf "$folder"' EXIT
shift 2
for _ in $(seq 100); do [ -S "$TESSERA_SOCKET" ] && break; sleep 0.1; done
"$@"
