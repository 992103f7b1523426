#include "harness/report/site/method.h"

#include <array>

namespace nsop::report {
namespace {

struct Paragraph {
  const char *id, *title, *text;
};

constexpr std::array kParagraphs = {
    Paragraph{"case", "Case",
              "What is computed: an op, the direction of its pass and every size and parameter, in "
              "one line of text. The page of a case is named by a hash of that line."},
    Paragraph{"suite", "Suite",
              "A list of cases that are measured for one report. A case may stand in several; each "
              "shows it by the newest run that measured it."},
    Paragraph{"variant", "Variant",
              "Who computes it: a kernel of ours with the instruction set it was compiled for, "
              "behind an @, or another library."},
    Paragraph{"threads", "Threads",
              "How many threads may work on one operation. Each number of threads is a row of its "
              "own; a peer with fewer may be compared with, one with more never is."},
    Paragraph{"machine", "Machine",
              "Where it ran, by the first digits of a hash over processor, memory and system. "
              "No verdict compares the times of two machines."},
    Paragraph{"run", "Run",
              "One session of measuring on one machine: when it began (UTC), the commit of each "
              "build, the profile that says for how long, the suites, and how many rows have a "
              "time."},
    Paragraph{"note", "Notes",
              "What a row's time alone does not say: why it was left out or is not judged, which "
              "algorithm was chosen, what was different."},
    Paragraph{"time", "Time",
              "Wall time of one operation: the median over processes, each of which warms up and "
              "counts with its fastest repetition."},
    Paragraph{"interval", "Interval",
              "The 95 % interval of the median over processes, from order statistics; of a ratio, "
              "the t interval of the trimmed mean of its logarithm over rounds. Fewer than six "
              "processes have none: their range is shown."},
    Paragraph{"doubt", "In doubt (?)",
              "A number with a question mark is in doubt, and its row says why: fewer than six "
              "processes, time lost to others, pages read from disk, or page faults in every "
              "repetition."},
    Paragraph{"peer", "Fastest other library",
              "The fastest of the other libraries that did the same case on the same tensors, in "
              "the same run, on as many threads or fewer. Where one was missing that might have "
              "been faster, the row is not judged."},
    Paragraph{"gap", "Gap",
              "Our time over the time of the fastest other library; above 1 we are slower."},
    Paragraph{"limit", "Limit",
              "The time that the machine needs at least: for the arithmetic at the measured peak, "
              "for the bytes at the measured bandwidth of the level of memory that holds them, and "
              "for the call. The share is that limit over the row's time."},
    Paragraph{"bound", "Bound",
              "What the limit comes from: compute, a level of memory, or the overhead of a call. "
              "Unknown where the machine's limits were not measured."},
    Paragraph{"recoverable", "Recoverable time",
              "What an operation would save at the machine's limit."},
    Paragraph{"allocs", "Allocations",
              "Calls to the allocator and bytes asked for by one operation in the steady state. "
              "They are counted, not sampled: two counts are equal or they are not."},
    Paragraph{"verdict", "Verdict",
              "What a comparison says once its interval and its margins are known: better, worse, "
              "same, inconclusive, or not judged."},
    Paragraph{"same", "Same",
              "The whole interval lies within the margin on both sides. It is a finding, not the "
              "absence of one."},
    Paragraph{"worse", "Worse", "The whole interval lies beyond what is worth telling, slower."},
    Paragraph{"better", "Better", "The whole interval lies beyond what is worth telling, faster."},
    Paragraph{"inconclusive", "Inconclusive",
              "The interval is too wide for any of the others. It is neither a failure nor a "
              "success; the note says what it would take."},
    Paragraph{"not-judged", "Not judged",
              "Something that the comparison needs was not there: a library that is not installed, "
              "or a side without a time. A row that only one side has is new or missing; inputs or "
              "checks that differ make two rows incomparable."},
    Paragraph{
        "history", "History",
        "What each run of one machine said of a row, in the order of commits. Runs of other "
        "branches, and those measured after later commits, count for nothing and are marked."},
    Paragraph{"change", "Change of level",
              "Where a piecewise constant function that fits the history changes, if the change "
              "clears its interval. Runs with another compiler, other flags or other inputs begin "
              "a segment of their own and are compared with nothing before."},
    Paragraph{"alert", "Alert",
              "A change of level that a history shows, with its rows, its age since it was found, "
              "the last commit before it and the first with it, its owner and what other machines "
              "say of it. It is open until somebody accepts or closes it with a reason; noise and "
              "what is only noted ask for nothing; inconclusive ones wait for more runs."},
    Paragraph{"gate", "Gate",
              "Two builds measured alternately in one session, in several link orders, until each "
              "row is decided; what was called is measured again in a second session."},
    Paragraph{"margin", "Margins",
              "A gate calls a change worse or better when the whole interval lies beyond the first "
              "margin, and the same when it lies within the second. The slider shows which "
              "verdicts another margin would give; it changes no stored verdict."},
    Paragraph{"trust", "Trust",
              "Who wrote the numbers: this machine, a continuous integration job, or another "
              "tool's file. Imported rows are compared among themselves only. What a pull request "
              "of a stranger wrote is not shown."},
    Paragraph{"roofline", "Roofline",
              "Floating-point operations per second over operations per byte, under the measured "
              "peak and bandwidths (Williams, Waterman and Patterson 2009, "
              "doi:10.1145/1498765.1498785)."},
    Paragraph{"power", "Power and false alarms",
              "How often the rules find a change of a known size, and how often they tell one "
              "where there is none, counted on drawn measurements and on gates of a machine."},
};

}  // namespace

Json method_json() {
  Json list = Json::array();
  for (const Paragraph& one : kParagraphs) {
    list.push_back({{"id", one.id}, {"title", one.title}, {"text", one.text}});
  }
  return list;
}

}  // namespace nsop::report
