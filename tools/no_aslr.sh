#!/usr/bin/env bash
# Runs a command without address-space randomisation where the system allows that. GCC 12's
# ThreadSanitizer can't start under kernels that randomise more bits than it knows of.
#
#   tools/no_aslr.sh COMMAND [ARGUMENT...]
set -euo pipefail
if setarch "$(uname -m)" -R true 2>/dev/null; then
  exec setarch "$(uname -m)" -R "$@"
fi
exec "$@"
