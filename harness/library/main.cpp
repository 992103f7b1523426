// The main of a worker that is linked with the library and has none of its own. A program's, so
// without a header.
#include "harness/worker/worker_main.h"

int main(int argc, char** argv) { return nsop::worker::worker_main(argc, argv); }
