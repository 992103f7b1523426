// Worker processes that outlive a row.
//
// A fresh process per row and round is the rule: a layout of its own, and nothing left over from
// the row before. Where starting takes seconds (an interpreter that imports a large library) the
// worker says `reusable` in its hello and serves the rows of a whole round.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "harness/run/workers/worker_client.h"

namespace nsop::run {

class KeptClients {
 public:
  // The process of this program for so many threads, started when there is none; between calls it
  // sleeps, waiting for a request.
  WorkerClient& get(const WorkerCommand& worker, const std::vector<int>& cpus, int threads);
  // Kills it, so that the next row gets a new one.
  void drop(const WorkerCommand& worker, int threads);
  // Ends all of them in good order.
  void quit_all();

 private:
  // Command, environment (a library may be held to an instruction set by it), threads.
  using Key = std::tuple<std::vector<std::string>, std::vector<std::string>, int>;
  static Key key_of(const WorkerCommand& worker, int threads) {
    return {worker.command, worker.environment, threads};
  }
  std::map<Key, std::unique_ptr<WorkerClient>> clients_;
};

}  // namespace nsop::run
