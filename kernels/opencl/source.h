// The kernels of the OpenCL worker, as OpenCL C 1.2.
#pragma once

namespace nsop::kernels::opencl {

// Written for any device: no doubles, no extensions. GROUP, a power of two, is defined when the
// program is built: how many work items of a sum make a group.
extern const char* const kSource;

}  // namespace nsop::kernels::opencl
