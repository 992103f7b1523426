// Who and how this machine is.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/core/sample.h"

namespace nsop {

// Reads the identity from /proc/cpuinfo and /sys below `root` ("" = this machine; tests pass a
// folder with copies of those files). Missing files leave fields empty; nothing measured goes in.
Host read_host(const std::string& root = "");

// This machine's identity, read once.
const Host& this_host();

// The sizes in bytes of the first CPU's caches, as in Host::cache_bytes; empty where unknown.
std::map<std::string, int64_t> read_caches(const std::string& root = "");

Conditions read_conditions(const std::string& root = "");

// SHA-256 of the identity fields in a fixed order.
std::string host_fingerprint(const Host& host);

}  // namespace nsop
