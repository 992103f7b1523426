#include "harness/run/workers/kept_clients.h"

namespace nsop::run {

WorkerClient& KeptClients::get(const WorkerCommand& worker, const std::vector<int>& cpus,
                               int threads) {
  std::unique_ptr<WorkerClient>& client = clients_[key_of(worker, threads)];
  if (!client) client = std::make_unique<WorkerClient>(worker, cpus, threads);
  return *client;
}

void KeptClients::drop(const WorkerCommand& worker, int threads) {
  clients_.erase(key_of(worker, threads));
}

void KeptClients::quit_all() {
  for (auto& [key, client] : clients_) {
    try {
      if (client) client->quit();
    } catch (const WorkerFailure&) {  // all its rows are stored: how it ends matters to nobody
    }
  }
  clients_.clear();
}

}  // namespace nsop::run
