// nsop-worker: runs kernels for the process that started it. The program, so without a header.
#include "harness/worker/worker_main.h"

int main(int argc, char** argv) { return nsop::worker::worker_main(argc, argv); }
