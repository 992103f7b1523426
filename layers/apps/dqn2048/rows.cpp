// The variants of dqn_train, dqn_update and dqn2048.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/metered.h"
#include "kernels/runtime/target.h"
#include "layers/apps/dqn2048/dqn.h"
#include "layers/apps/dqn2048/loop.h"

namespace nsop::layers {
namespace {

// The metrics, those of the trainer, and its phases.
std::map<std::string, double> with_trainer(std::map<std::string, double> metrics,
                                           DqnTrainer& trainer) {
  metrics.merge(trainer.metrics());
  metrics.merge(trainer.phases().metrics());
  return metrics;
}

// Of dqn_train or dqn_update.
size_t batch_of(const Case& c) {
  return c.has("batch") ? static_cast<size_t>(c.integer("batch")) : kBatch;
}
size_t updates_of(const Case& c) {
  return c.has("updates") ? static_cast<size_t>(c.integer("updates")) : 1;
}

class TrainStep final : public MeteredStep {
 public:
  TrainStep(const StepRequest& request, std::unique_ptr<DqnTrainer> trainer)
      : trainer_(std::move(trainer)),
        batch_(batch_of(request.op_case)),
        calls_(static_cast<size_t>(request.op_case.integer("calls"))),
        times_(calls_) {
    for (const Tensor& t : request.inputs) in_.push_back(t.data());
    for (Tensor& t : request.outputs) out_.push_back(t.data());
  }
  void run() override {
    times_.clear();
    trainer_->reset(in_[0]);
    trainer_->phases().start();
    for (size_t call = 0; call < calls_; ++call) {
      const auto part = [&](size_t i, size_t width) {
        return in_[i].subspan(call * batch_ * width, batch_ * width);
      };
      out_[0][call] = times_.timed([&] {
        return trainer_->train(
            {part(1, kCells), part(2, 1), part(3, 1), part(4, kCells), part(5, 1)});
      });
    }
    trainer_->store(out_[1]);
  }
  std::span<const float> output(size_t i) const override { return out_[i]; }
  size_t workspace_bytes() const override { return trainer_->workspace_bytes(); }
  std::map<std::string, double> metrics() const override {
    return with_trainer(times_.metrics(), *trainer_);
  }

 private:
  std::unique_ptr<DqnTrainer> trainer_;
  size_t batch_, calls_;
  CallTimes times_;
  std::vector<std::span<const float>> in_;
  std::vector<std::span<float>> out_;
};

class LoopStep final : public MeteredStep {
 public:
  LoopStep(const StepRequest& request, std::unique_ptr<DqnTrainer> trainer)
      : trainer_(std::move(trainer)),
        loop_(*trainer_, static_cast<size_t>(request.op_case.integer("episodes"))),
        seed_(request.inputs[0].data()),
        parameters_(request.inputs[1].data()) {
    for (Tensor& t : request.outputs) out_.push_back(t.data());
  }
  void run() override {
    const auto low = static_cast<uint64_t>(seed_[0]), high = static_cast<uint64_t>(seed_[1]);
    loop_.run(low + (high << 24), parameters_, {out_[0], out_[1], out_[2], out_[4]});
    trainer_->store(out_[3]);
  }
  std::span<const float> output(size_t i) const override { return out_[i]; }
  size_t workspace_bytes() const override { return trainer_->workspace_bytes(); }
  std::map<std::string, double> metrics() const override {
    auto metrics = with_trainer(loop_.times().metrics(), *trainer_);
    metrics["episodes"] = static_cast<double>(out_[0].size());
    metrics["moves"] = static_cast<double>(loop_.moves());
    return metrics;
  }

 private:
  std::unique_ptr<DqnTrainer> trainer_;
  DqnLoop loop_;
  std::span<const float> seed_, parameters_;
  std::vector<std::span<float>> out_;
};

using MakeTrainer = std::unique_ptr<DqnTrainer> (*)(const Case&);

std::unique_ptr<DqnTrainer> make_functional(const Case& c) {
  return make_functional_trainer(updates_of(c), false, batch_of(c));
}
std::unique_ptr<DqnTrainer> make_pooled(const Case& c) {
  return make_functional_trainer(updates_of(c), true, batch_of(c));
}
std::unique_ptr<DqnTrainer> make_batched(const Case& c) {
  return make_batched_trainer(batch_of(c));
}

template <class S>
std::function<std::unique_ptr<Step>(const StepRequest&)> preparing(MakeTrainer make) {
  return [make](const StepRequest& request) -> std::unique_ptr<Step> {
    if (request.target != kBaselineTarget) kernels::pin_target(request.target);
    return std::make_unique<S>(request, make(request.op_case));
  };
}

std::string one_thread(const Case&, int threads) {
  return threads == 1 ? "" : "the network is too small to be shared between threads";
}

std::string one_batch(const Case& c, int threads) {
  if (updates_of(c) != 1) return "batched makes one update per training call";
  return one_thread(c, threads);
}

Variant plain(const std::string& op, const std::string& name, const std::string& summary,
              std::function<std::unique_ptr<Step>(const StepRequest&)> prepare) {
  return {.op = op,
          .name = name,
          .role = Role::kBefore,
          .summary = summary,
          .targets = [] { return std::vector<std::string>{kBaselineTarget}; },
          .unsupported = one_thread,
          .prepare = std::move(prepare)};
}

Variant batched(const std::string& op, std::function<std::unique_ptr<Step>(const StepRequest&)> p) {
  return {.op = op,
          .name = "batched",
          .role = Role::kOurs,
          .summary = "One forward and one backward pass per training call, nothing allocated.",
          .targets = kernels::targets,
          .unsupported = one_batch,
          .prepare = std::move(p)};
}

// What `batched` is for the workload, under the name that layers have: for suites of layers.
Variant layer(const std::string& op, std::function<std::unique_ptr<Step>(const StepRequest&)> p) {
  Variant variant = batched(op, std::move(p));
  variant.name = "layer";
  return variant;
}

const char* const kFunctional = "Every operation returns a freshly allocated tensor.";
const char* const kPooled = "As functional, with a pool of buffers for the tensors' elements.";

const VariantRow rows[] = {
    VariantRow(
        plain("dqn_train", "functional", kFunctional, preparing<TrainStep>(make_functional))),
    VariantRow(plain("dqn_train", "pooled", kPooled, preparing<TrainStep>(make_pooled))),
    VariantRow(batched("dqn_train", preparing<TrainStep>(make_batched))),
    VariantRow(
        plain("dqn_update", "functional", kFunctional, preparing<TrainStep>(make_functional))),
    VariantRow(layer("dqn_update", preparing<TrainStep>(make_batched))),
    VariantRow(plain("dqn2048", "functional", kFunctional, preparing<LoopStep>(make_functional))),
    VariantRow(plain("dqn2048", "pooled", kPooled, preparing<LoopStep>(make_pooled))),
    VariantRow(batched("dqn2048", preparing<LoopStep>(make_batched))),
};

}  // namespace
}  // namespace nsop::layers
