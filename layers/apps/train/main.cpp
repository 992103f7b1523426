// nsop-train: trains on one of the learning checks or on a user's data, and prints loss and
// accuracy per epoch.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "kernels/runtime/target.h"
#include "layers/apps/train/file_task.h"
#include "layers/apps/train/trainer.h"
#include "layers/core/program.h"
#include "layers/training/model_file.h"

namespace nsop::layers {
namespace {

struct Options {
  std::string task;
  FileTask own;
  std::string save, load, checkpoint, resume;
  uint64_t seed = 1;
  int threads = 1;
  int stop_after = 0;  // 0: the last epoch
};

constexpr const char* kOwnGroup = "Own data, in place of a task";

void declare_own(CLI::App& app, FileTask& own) {
  const auto option = [&](const char* name, auto& value, const char* about) {
    return app.add_option(name, value, about)->group(kOwnGroup);
  };
  option("--csv", own.csv, "Table of numbers, the target in the last column");
  app.add_flag("--header", own.header, "Its first line names the columns")->group(kOwnGroup);
  option("--separator", own.separator, "What parts its columns (default ,)");
  option("--examples", own.examples, ".npy array, an example per entry of its first axis");
  option("--targets", own.targets, ".npy array with their targets");
  app.add_flag("--numbers", own.numbers, "Targets are numbers to be met, not classes 0, 1, ...")
      ->group(kOwnGroup);
  option("--hidden", own.hidden, "Sizes of the hidden layers, e.g. 64,64 (default 32)")
      ->delimiter(',')
      ->check(whole_number_problem);
  option("--test-share", own.test_share, "Share of the examples kept to test with (default 0.2)");
  option("--batch", own.batch, "Examples per step (default 32)")->check(whole_number_problem);
  option("--epochs", own.epochs, "Passes over the data (default 100)");
  option("--rate", own.rate, "Learning rate at the start (default 0.01)");
  for (const char* of_a_table : {"--header", "--separator"}) {
    for (const char* array : {"--examples", "--targets"}) {
      app.get_option(of_a_table)->excludes(array);
    }
  }
  option("--goal", own.goal, "Accuracy below which the exit status is 1 (default 0)");
}

void declare(CLI::App& app, Options& o) {
  app.add_option("task", o.task, fmt::format("One of {}", join(task_names(), ", ")));
  app.add_option("--seed", o.seed,
                 "Of the weights, the order of examples and the draw of a test set (default 1)")
      ->check(whole_number_problem);
  app.add_option("--threads", o.threads, "Threads (default 1)");
  app.add_option("--save", o.save, "File for the trained model, in the safetensors layout");
  CLI::Option* const load =
      app.add_option("--load", o.load, "Test this model instead of training one");
  app.add_option("--checkpoint", o.checkpoint, "File to go on from, written after every epoch");
  app.add_option("--resume", o.resume, "Go on from this checkpoint, as if never interrupted");
  app.add_option("--stop-after", o.stop_after, "Stop after this epoch, to go on later")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  declare_own(app, o.own);
  for (const char* trains :
       {"--save", "--checkpoint", "--resume", "--stop-after", "--epochs", "--rate", "--batch"}) {
    load->excludes(trains);
  }
}

ExitCode judge(const Task& task, double accuracy) {
  const bool reached = accuracy >= task.goal;
  const char* const what = task.loss.kind == LossKind::kMse ? "explained variance" : "accuracy";
  fmt::print("{}: {} {:.1f} % of {} test examples, goal {:.1f} %: {}\n", task.name, what,
             100 * accuracy, task.test.size(), 100 * task.goal, reached ? "reached" : "missed");
  return reached ? ExitCode::kOk : ExitCode::kFailed;
}

Task task_of(const CLI::App& app, const Options& o) {
  const bool own = !o.own.csv.empty() || !o.own.examples.empty() || !o.own.targets.empty();
  if (own && !o.task.empty()) throw usage_error("name a task or files of your own, not both");
  if (!own && o.task.empty()) {
    throw usage_error(fmt::format(
        "name a task ({}) or files of your own: --csv FILE, or --examples FILE with --targets FILE",
        join(task_names(), ", ")));
  }
  if (own) return make_file_task(o.own, o.seed);
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group() != kOwnGroup || option->count() == 0) continue;
    throw usage_error(fmt::format("{} goes with files of your own, the task {} has its own recipe",
                                  option->get_name(), o.task));
  }
  return make_task(o.task);
}

// Up to epoch `last`.
void run_epochs(const Options& o, const Task& task, Trainer& trainer, int last) {
  fmt::print("epoch        loss      rate  accuracy\n");
  while (trainer.epochs() < last) {
    const Epoch epoch = trainer.run_epoch();
    if (!std::isfinite(epoch.loss)) {
      throw Error(ExitCode::kFailed,
                  fmt::format("{}: the loss of epoch {} is no finite number; a smaller rate or "
                              "smaller numbers in the data may help",
                              task.name, epoch.number));
    }
    if (!o.checkpoint.empty()) trainer.save_checkpoint(o.checkpoint);
    const int i = epoch.number;
    const bool shown = i == 1 || i == last || i % std::max(1, task.epochs / 20) == 0;
    if (!shown) continue;
    fmt::print("{:5} {:11.6f} {:9.6f} {:7.1f} %\n", i, epoch.loss, epoch.rate,
               100 * epoch.accuracy);
  }
}

// Says so where the test may flatter the model.
void load(const std::string& path, const Task& task, const Trainer& trainer) {
  const Origin model = load_model(path, tensors_of(trainer.network()));
  const bool is_checkpoint = model.contains("epoch");
  if (!is_checkpoint) give_distances(task, trainer.network());
  if (task.test_share == 0) return;
  const std::string doubt = doubt_about(path, model, trainer.origin());
  if (!doubt.empty()) fmt::print(stderr, "nsop-train: note: {}\n", doubt);
}

void require_a_use_of_stopping(const Options& o) {
  if (o.stop_after == 0 || !o.save.empty() || !o.checkpoint.empty()) return;
  throw usage_error(
      "--stop-after needs --checkpoint FILE or --save FILE, or nothing would be left");
}

ExitCode train(const CLI::App& app, const Options& o) {
  require_a_use_of_stopping(o);
  const Task task = task_of(app, o);
  for (const std::string& path : {o.save, o.checkpoint}) {
    if (!path.empty()) require_writable(path);
  }
  Trainer trainer(task, o.seed, o.threads);
  if (!o.load.empty()) {
    load(o.load, task, trainer);
    return judge(task, trainer.accuracy());
  }
  if (!o.resume.empty()) trainer.resume(o.resume);
  fmt::print("{}: {}; seed {}, {} thread{}, {}\n", task.name, task.about, o.seed, o.threads,
             o.threads == 1 ? "" : "s", kernels::current_target());
  const int last = o.stop_after > 0 ? std::min(o.stop_after, task.epochs) : task.epochs;
  run_epochs(o, task, trainer, last);
  const double accuracy = trainer.accuracy();
  if (!o.save.empty()) {
    give_numbers(task, trainer.network());
    save_model(o.save, tensors_of(trainer.network()), trainer.origin());
  }
  if (last == task.epochs) return judge(task, accuracy);
  fmt::print("{}: stopped after epoch {} of {}\n", task.name, trainer.epochs(), task.epochs);
  return ExitCode::kOk;
}

}  // namespace
}  // namespace nsop::layers

int main(int argc, char** argv) {
  nsop::layers::Options options;
  CLI::App app("Trains a small network on a problem that it must learn; exit 1 if it did not");
  nsop::layers::declare(app, options);
  return nsop::layers::run_program("nsop-train", app, argc, argv,
                                   [&] { return nsop::layers::train(app, options); });
}
