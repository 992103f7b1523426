// nsop: is it faster, is it still as fast, and how do you know? The program, so without a header.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

#include "harness/cli/run_main.h"
#include "harness/run/workers/interrupt.h"

int main(int argc, char** argv) {
  nsop::run::install_interrupt_handlers();
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the file size limit is an error with a message
  nsop::cli::Context context{std::cout, std::cerr};
  context.out_is_terminal = isatty(STDOUT_FILENO) != 0;
  context.err_is_terminal = isatty(STDERR_FILENO) != 0;
  context.color = context.out_is_terminal && std::getenv("NO_COLOR") == nullptr;
  return nsop::cli::run_main({argv, argv + argc}, context);
}
