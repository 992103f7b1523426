// nsop-train: trains on one of the learning checks and prints loss and accuracy per epoch.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "harness/core/error.h"
#include "harness/core/util.h"
#include "kernels/target.h"
#include "layers/learning/trainer.h"
#include "layers/model_file.h"

namespace nsop::layers {
namespace {

struct Options {
  std::string task;
  std::string save, load;
  uint64_t seed = 1;
  int threads = 1;
};

void declare(CLI::App& app, Options& o) {
  app.add_option("task", o.task, fmt::format("One of {}", join(task_names(), ", ")))->required();
  app.add_option("--seed", o.seed, "Of the weights and the order of examples (default 1)");
  app.add_option("--threads", o.threads, "Threads (default 1)");
  app.add_option("--save", o.save, "File for the trained model, in the safetensors layout");
  app.add_option("--load", o.load, "Test this model instead of training one");
}

ExitCode judge(const Task& task, double accuracy) {
  const bool reached = accuracy >= task.goal;
  fmt::print("{}: accuracy {:.1f} % of {} test examples, goal {:.1f} %: {}\n", task.name,
             100 * accuracy, task.test.size(), 100 * task.goal, reached ? "reached" : "missed");
  return reached ? ExitCode::kOk : ExitCode::kFailed;
}

ExitCode train(const Options& o) {
  const Task task = make_task(o.task);
  Trainer trainer(task, o.seed, o.threads);
  if (!o.load.empty()) {
    load_model(o.load, tensors_of(trainer.network()));
    return judge(task, trainer.accuracy());
  }
  fmt::print("{}: {}; seed {}, {} thread{}, {}\n", task.name, task.about, o.seed, o.threads,
             o.threads == 1 ? "" : "s", kernels::current_target());
  fmt::print("epoch        loss      rate  accuracy\n");
  double accuracy = 0;
  for (int i = 1; i <= task.epochs; ++i) {
    const Epoch epoch = trainer.run_epoch();
    accuracy = epoch.accuracy;
    const bool shown = i == 1 || i == task.epochs || i % std::max(1, task.epochs / 20) == 0;
    if (shown) {
      fmt::print("{:5} {:11.6f} {:9.6f} {:7.1f} %\n", i, epoch.loss, epoch.rate, 100 * accuracy);
    }
  }
  if (!o.save.empty()) {
    save_model(o.save, tensors_of(trainer.network()),
               {{"task", task.name}, {"seed", std::to_string(o.seed)}});
  }
  return judge(task, accuracy);
}

}  // namespace
}  // namespace nsop::layers

int main(int argc, char** argv) {
  nsop::layers::Options options;
  CLI::App app("Trains a small network on a problem that it must learn; exit 1 if it did not");
  nsop::layers::declare(app, options);
  try {
    app.parse(argc, argv);
    return static_cast<int>(nsop::layers::train(options));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(nsop::ExitCode::kUsage);
  } catch (const nsop::Error& error) {
    fmt::print(stderr, "nsop-train: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
