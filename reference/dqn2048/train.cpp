// dqn_train: `calls` training calls of the DQN workload (docs/dqn.md) on recorded batches, from
// given initial parameters. updates=1 trains on a batch of 32 at once; updates=32 takes the same
// experiences one by one and makes an update after each: 32 times the updates, other work.
//
// dqn_update: the same with batches of any size, one update each.
//
// The recorded batches are real ones: games played at random, after each of which a batch of the
// latest 1000 experiences is drawn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/dqn2048/game.h"
#include "reference/dqn2048/network.h"
#include "reference/dqn2048/replay.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

enum Input { kParameters, kStates, kActions, kRewards, kNext, kDone };

int64_t batch_of(const Case& c) { return c.has("batch") ? c.integer("batch") : kDqnBatch; }
int64_t updates_of(const Case& c) { return c.has("updates") ? c.integer("updates") : 1; }

void validate(const Case& c) {
  require(c.integer("calls") <= 10000, c.op(),
          "calls=" + c.str("calls") + " is too many, expected at most 10000");
  require(batch_of(c) <= 1000, c.op(),
          fmt::format("batch={} is too large, expected at most 1000", batch_of(c)));
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const int64_t calls = c.integer("calls"), batch = batch_of(c);
  return {{"parameters", {kDqnParameters}, 0, 1},
          {"states", {calls, batch, kDqnInputs}, 0, 1},
          {"actions", {calls, batch}, 0, 1},
          {"rewards", {calls, batch}, 0, 1},
          {"next_states", {calls, batch, kDqnInputs}, 0, 1},
          {"done", {calls, batch}, 0, 1}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  return {{"losses", {c.integer("calls")}}, {"parameters", {kDqnParameters}}};
}

void write_batch(std::span<const DqnExperience> batch, int64_t call, std::span<Tensor> in) {
  for (size_t i = 0; i < batch.size(); ++i) {
    const DqnExperience& e = batch[i];
    const size_t at = static_cast<size_t>(call) * batch.size() + i;
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
    const auto batch = static_cast<uint64_t>(batch_of(c));
    write_batch(replay.batch(seed, static_cast<uint64_t>(call), batch), call, in);
  }
}

std::vector<DqnExperience> read_batch(std::span<const Tensor> in, int64_t call, int64_t size) {
  std::vector<DqnExperience> batch(static_cast<size_t>(size));
  for (size_t i = 0; i < batch.size(); ++i) {
    DqnExperience& e = batch[i];
    const size_t at = static_cast<size_t>(call) * batch.size() + i;
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
        network.train(read_batch(in, call, batch_of(c)), updates_of(c));
  }
  std::ranges::copy(network.parameters(), out[1].data.begin());
}

std::vector<Tolerance> tolerances_of(const Case& c) {
  const int64_t calls = c.integer("calls");
  if (batch_of(c) >= kDqnBatch) return dqn_tolerances(updates_of(c), calls);
  // Looked at were 32 updates on an experience each. Their mean loss is of 32 experiences; in that
  // of fewer, the one whose value and target nearly cancel may have the error of all.
  auto tolerances = dqn_tolerances(kDqnBatch, (calls + kDqnBatch - 1) / kDqnBatch);
  tolerances[0].relative *= static_cast<double>(kDqnBatch) / static_cast<double>(batch_of(c));
  return tolerances;
}

Work work_of(const Case& c) {
  const double macs = static_cast<double>(c.integer("calls")) * dqn_train_macs(batch_of(c));
  return {.flops = 2 * macs, .macs = macs, .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

ParamSpec count_param(const std::string& name) {
  return {.name = name, .kind = ParamKind::kCount, .choices = {}, .absent = {}};
}

Op training(std::string name, std::string summary, const ParamSpec& how) {
  return {
      .spec = {.name = std::move(name),
               .summary = std::move(summary),
               .params = {how, count_param("calls")}},
      .validate = validate,
      .inputs = inputs_of,
      .outputs = outputs_of,
      .shape_inputs = record,
      .oracle = oracle,
      .tolerance = {},
      .output_tolerances = tolerances_of,
      .work = work_of,
  };
}

const OpRow train_row{training("dqn_train",
                               "Training calls of a deep Q-network on recorded games of 2048.",
                               dqn_updates_param())};
const OpRow update_row{training("dqn_update",
                                "Training calls of one update each, on batches of any size.",
                                count_param("batch"))};

}  // namespace
}  // namespace nsop::reference
