#include "harness/run/workers/interrupt.h"

#include <signal.h>

#include <initializer_list>

namespace nsop::run {
namespace {

volatile sig_atomic_t g_signal = 0;

void note(int signal) { g_signal = signal; }

}  // namespace

void install_interrupt_handlers() {
  struct sigaction action {};
  action.sa_handler = note;  // no SA_RESTART: blocking calls return
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

bool is_interrupted() { return g_signal != 0; }

void throw_if_interrupted() {
  if (g_signal != 0) throw Interrupted{g_signal};
}

void clear_interrupt() { g_signal = 0; }

}  // namespace nsop::run
