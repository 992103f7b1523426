// What the plain gru and rnn share: the products of a step, by textbook loops. (That of lstm is
// frozen and has its own.)
#pragma once

#include <cstdint>

#include "reference/before/elementwise.h"

namespace nsop::reference::before {

// x [steps,batch,in], w [in,columns], u [hidden,columns], a state [batch,hidden]; the columns are
// the gates side by side.
struct RecurrentSizes {
  RecurrentSizes(const Case& c, int64_t gates)
      : steps(c.shape("in")[0]),
        batch(c.shape("in")[1]),
        in(c.shape("in")[2]),
        hidden(c.integer("hidden")),
        columns(gates * hidden) {}
  int64_t state() const { return batch * hidden; }
  int64_t steps, batch, in, hidden, columns;
};

// rows [batch,inner], weights [inner,columns] -> [batch,columns]
Floats product(const RecurrentSizes& s, const float* rows, const float* weights, int64_t inner);

// d [batch,columns], weights [inner,columns] -> [batch,inner]
Floats input_gradient(const RecurrentSizes& s, const Floats& d, const float* weights,
                      int64_t inner);

// dw [inner,columns] += rows^T d
void add_weight_gradient(const RecurrentSizes& s, const float* rows, const Floats& d, int64_t inner,
                         Floats& dw);

// db [columns] += the sum of d over the batch
void add_bias_gradient(const RecurrentSizes& s, const Floats& d, Floats& db);

}  // namespace nsop::reference::before
