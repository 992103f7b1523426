// dqn_train: `calls` training calls of the DQN workload (docs/dqn.md) on recorded batches, from
// given initial parameters. updates=1 trains on a batch of 32 at once; updates=32 takes the same
// experiences one by one and makes an update after each: 32 times the updates, other work.
//
// The recorded batches are real ones: games played at random, after each of which 32 of the latest
// 1000 experiences are drawn.
#include <algorithm>
#include <cmath>

#include "reference/dqn2048/game.h"
#include "reference/dqn2048/network.h"
#include "reference/dqn2048/replay.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

enum Input { kParameters, kStates, kActions, kRewards, kNext, kDone };

void validate(const Case& c) {
  require(c.integer("calls") <= 10000, "dqn_train",
          "calls=" + c.str("calls") + " is too many, expected at most 10000");
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const int64_t calls = c.integer("calls");
  return {{"parameters", {kDqnParameters}, 0, 1},
          {"states", {calls, kDqnBatch, kDqnInputs}, 0, 1},
          {"actions", {calls, kDqnBatch}, 0, 1},
          {"rewards", {calls, kDqnBatch}, 0, 1},
          {"next_states", {calls, kDqnBatch, kDqnInputs}, 0, 1},
          {"done", {calls, kDqnBatch}, 0, 1}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  return {{"losses", {c.integer("calls")}}, {"parameters", {kDqnParameters}}};
}

void write_batch(std::span<const DqnExperience> batch, int64_t call, std::span<Tensor> in) {
  for (size_t i = 0; i < batch.size(); ++i) {
    const DqnExperience& e = batch[i];
    const size_t at = static_cast<size_t>(call * kDqnBatch) + i;
    for (size_t cell = 0; cell < kDqnInputs; ++cell) {
      in[kStates].data()[at * kDqnInputs + cell] = static_cast<float>(e.state[cell]);
      in[kNext].data()[at * kDqnInputs + cell] = static_cast<float>(e.next[cell]);
    }
    in[kActions].data()[at] = static_cast<float>(e.action);
    in[kRewards].data()[at] = static_cast<float>(e.reward);
    in[kDone].data()[at] = e.done ? 1 : 0;
  }
}

// The uniform values of `states` are where the games' randomness comes from.
void record(const Case& c, std::span<Tensor> in) {
  draw_dqn_parameters(in[kParameters].data());
  const uint64_t seed = dqn_seed(in[kStates].data()[0] * 0x1p24F, in[kStates].data()[1] * 0x1p24F);
  DqnGame game(seed);
  DqnReplay replay;
  uint64_t moves = 0;
  for (int64_t call = 0; call < c.integer("calls"); ++call) {
    game.start();
    for (auto legal = game.legal(); !legal.empty(); legal = game.legal()) {
      const uint64_t draw = dqn_draw(seed, 1, moves++);
      const auto pick = upper_below(draw, static_cast<int64_t>(legal.size()));
      replay.play(game, legal[static_cast<size_t>(pick)]);
    }
    write_batch(replay.batch(seed, static_cast<uint64_t>(call)), call, in);
  }
}

std::vector<DqnExperience> read_batch(std::span<const Tensor> in, int64_t call) {
  std::vector<DqnExperience> batch(kDqnBatch);
  for (size_t i = 0; i < batch.size(); ++i) {
    DqnExperience& e = batch[i];
    const size_t at = static_cast<size_t>(call * kDqnBatch) + i;
    for (size_t cell = 0; cell < kDqnInputs; ++cell) {
      e.state[cell] = in[kStates].data()[at * kDqnInputs + cell];
      e.next[cell] = in[kNext].data()[at * kDqnInputs + cell];
    }
    e.action = static_cast<int>(in[kActions].data()[at]);
    e.reward = in[kRewards].data()[at];
    e.done = in[kDone].data()[at] != 0;
  }
  return batch;
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  DqnNetwork network(in[kParameters].data());
  for (int64_t call = 0; call < c.integer("calls"); ++call) {
    out[0].data[static_cast<size_t>(call)] =
        network.train(read_batch(in, call), c.integer("updates"));
  }
  std::ranges::copy(network.parameters(), out[1].data.begin());
}

std::vector<Tolerance> tolerances_of(const Case& c) {
  return dqn_tolerances(c.integer("updates"), c.integer("calls"));
}

Work work_of(const Case& c) {
  const double macs = static_cast<double>(c.integer("calls")) * dqn_train_macs();
  return {.flops = 2 * macs, .macs = macs, .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec = {.name = "dqn_train",
             .summary = "Training calls of a deep Q-network on recorded games of 2048.",
             .params = {dqn_updates_param(),
                        {.name = "calls", .kind = ParamKind::kCount, .choices = {}, .absent = {}}}},
    .validate = validate,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = record,
    .oracle = oracle,
    .tolerance = {},
    .output_tolerances = tolerances_of,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
