#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json into build/PRESET.
#
#   tools/build.sh PRESET [CMAKE_ARGUMENT...]
#
# JOBS=N: compile N files at a time; TARGET=NAME: build only that. NSOP_BUILD=off: take what is built.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
if [[ ${NSOP_BUILD:-on} == off ]]; then
  echo "build: build/$preset is taken as it is (NSOP_BUILD=off)"
  exit 0
fi

# Where ccache is installed, checkouts of one source share what they compile, precompiled headers too
# (no source of ours asks for the time of day). Another base folder, as somebody's settings may have it,
# would leave other paths in what is compiled: packages would have other bytes.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}

runner=()
if [[ $preset == tsan ]]; then # tests run while building (to be listed); see tools/test.sh
  runner=(tools/no_aslr.sh)
fi
cmake --preset "$preset" "$@"
${runner[@]+"${runner[@]}"} cmake --build --preset "$preset" --parallel "${JOBS:-$(nproc)}" \
  ${TARGET:+--target "$TARGET"}
