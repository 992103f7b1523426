// The main of every worker executable.
#pragma once

namespace nsop::worker {

// Runs `PROGRAM --pipes IN,OUT | --list | --version | --help` and returns the exit status; a usage
// error is one line on stderr and 2.
int worker_main(int argc, char** argv);

}  // namespace nsop::worker
