#include "harness/judge/gate/identical.h"

#include <vector>

namespace nsop::judge {

void mark_identical(std::vector<GateRow>& rows, const RowCode& base, const RowCode& head) {
  bool timed = false;
  for (GateRow& row : rows) {
    if (row.canary || row.kind != RowKind::kBoth) continue;
    if (same_code(row.key, base, head)) {
      row.kind = RowKind::kIdentical;
      row.untimed = "both run the same machine code: not timed";
    }
    timed = timed || row.kind == RowKind::kBoth;
  }
  if (!timed) std::erase_if(rows, [](const GateRow& row) { return row.canary; });
}

}  // namespace nsop::judge
