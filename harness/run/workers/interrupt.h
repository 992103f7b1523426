// Ctrl-C and SIGTERM: noted by a handler, turned into an exception where nothing is half done.
#pragma once

namespace nsop::run {

struct Interrupted {
  int signal;
};

void install_interrupt_handlers();  // SIGINT, SIGTERM, SIGHUP; SIGPIPE is ignored
bool is_interrupted();
void throw_if_interrupted();  // throws Interrupted once a signal has arrived
void clear_interrupt();       // for what must still be stored after a signal

}  // namespace nsop::run
