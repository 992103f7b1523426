#!/usr/bin/env bash
# Cross-compiles the worker for aarch64 and compares its variants with the oracle under QEMU, which
# says what is right, and nothing of how fast it is.
#
#   tools/cross/check_arm.sh NSOP [ARGUMENT...]       NSOP: of this machine; ARGUMENT: of `nsop verify`
#
# Exit 1: a result is wrong or the protocol is broken; 5: packages are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
nsop=$1
shift
tools/cross/arm_root.sh build/aarch64-root
TARGET=nsop-worker tools/build.sh aarch64
worker=build/aarch64/bin/nsop-worker-qemu
cat >"$worker.new" <<END
#!/usr/bin/env bash
exec qemu-aarch64 -L /usr/aarch64-linux-gnu \\
  -E LD_LIBRARY_PATH='$PWD/build/aarch64-root/usr/lib/aarch64-linux-gnu' \\
  '$PWD/build/aarch64/bin/nsop-worker' "\$@"
END
chmod +x "$worker.new"
mv "$worker.new" "$worker"
[[ $# -gt 0 ]] || set -- --quick
"$nsop" --worker "$PWD/$worker" verify "$@"
