// No header: properties of tables.h, for each layout of a table with each way to print its values.
// A table of true figures, printed in any way, accuses nobody; one wrong figure is found.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <ostream>

#include "harness/audit/testing/audit_support.h"
#include "harness/audit/testing/forms_support.h"

namespace nsop::audit {
namespace {

bool alike(const Figure& a, double b, bool percent) {
  const double room = 0.1 * std::abs(b) + 3 * a.step + (percent ? 6 : 0);
  return std::abs(std::abs(a.value) - std::abs(b)) <= room;
}

// Another reading of the figure is true.
bool reads_as_true(const Figure& f, double ratio, bool percent) {
  if (!percent) return alike(f, ratio, false) || alike(f, 1 / ratio, false);
  return alike(f, (ratio - 1) * 100, true) || alike(f, (1 / ratio - 1) * 100, true);
}

struct FormRow {
  Printed before, after;
  double ratio = 0;  // that it claims
};

Figure figure_of(const Figures& figures, const FormRow& row, const Values& values) {
  return figures.write(row.ratio, values.more_is_better ? row.ratio : 1 / row.ratio);
}
std::string text_of(const Figures& figures, const FormRow& row, const Values& values) {
  return figure_of(figures, row, values).text;
}

struct Layout {
  const char* name;
  std::string (*page)(const std::vector<FormRow>& rows, const Values& values,
                      const Figures& figures);
  bool says_direction = true;  // its header says what is divided by what
};

std::string table_head(const std::string& cells, size_t columns) {
  std::string out = cells + "\n|";
  for (size_t i = 0; i < columns; ++i) out += "---:|";
  return out + "\n";
}

std::string named_columns(const std::vector<FormRow>& rows, const Values& v, const Figures& f,
                          const char* first, const char* second, const char* figure) {
  std::string out =
      table_head(fmt::format("|Case|{}{}|{}{}|{}|", first, v.unit, second, v.unit, figure), 4);
  for (size_t i = 0; i < rows.size(); ++i)
    out += fmt::format("|case {}|{}|{}|{}|\n", i, rows[i].before.text, rows[i].after.text,
                       text_of(f, rows[i], v));
  return out;
}

constexpr Layout kLayouts[] = {
    {"columns before and after",
     [](const std::vector<FormRow>& rows, const Values& v, const Figures& f) {
       return named_columns(rows, v, f, "Before", "After", f.header);
     }},
    {"columns that the header names",
     [](const std::vector<FormRow>& rows, const Values& v, const Figures& f) {
       return named_columns(rows, v, f, "NumPy", "Ours", "Ours vs NumPy");
     },
     false},
    {"old and new with keys and remarks",
     [](const std::vector<FormRow>& rows, const Values& v, const Figures& f) {
       std::string out =
           table_head(fmt::format("|Op|Size|Note|Old{}|New{}|{}|", v.unit, v.unit, f.header), 6);
       for (size_t i = 0; i < rows.size(); ++i)
         out += fmt::format("|op|{}K|{}|{}|{}|{}|\n", 1 << i, i % 2 == 0 ? "warm \U0001f525" : "",
                            rows[i].before.text, rows[i].after.text, text_of(f, rows[i], v));
       return out;
     }},
    {"rows that say n/a",
     [](const std::vector<FormRow>& rows, const Values& v, const Figures& f) {
       std::string out =
           table_head(fmt::format("|Op|Before{}|After{}|{}|", v.unit, v.unit, f.header), 4);
       for (const FormRow& one : rows)
         out += fmt::format("|op|{}|{}|{}|\n|op|N/A|{}|N/A|\n|op|-|n/a (other config)|\u2014|\n",
                            one.before.text, one.after.text, text_of(f, one, v), one.after.text);
       return out;
     }},
    {"two tables under headings",
     [](const std::vector<FormRow>& rows, const Values& v, const Figures& f) {
       const std::string column = fmt::format("Value{}", v.unit);
       std::string before = "## Before\n\n" + table_head("|Op|" + column + "|", 2), after;
       for (size_t i = 0; i < rows.size(); ++i) {
         before += fmt::format("|op {}|{}|\n", i, rows[i].before.text);
         after += fmt::format("|op {}|{}|{}|\n", i, rows[i].after.text, text_of(f, rows[i], v));
       }
       return before + "\n## After\n\n" + table_head("|Op|" + column + "|" + f.header + "|", 3) +
              after;
     }},
    {"rows against the row that is the baseline",
     [](const std::vector<FormRow>& rows, const Values& v, const Figures& f) {
       std::string out = table_head(fmt::format("|Variant|Value{}|{}|", v.unit, f.header), 3);
       for (const FormRow& one : rows)
         out += fmt::format("|plain|{}|1.00x (baseline)|\n|fast|{}|{}|\n", one.before.text,
                            one.after.text, text_of(f, one, v));
       return out;
     }},
    {"arrows in cells",
     [](const std::vector<FormRow>& rows, const Values& v, const Figures& f) {
       std::string out = table_head(fmt::format("|Op|Value{}|{}|", v.unit, f.header), 3);
       for (const FormRow& one : rows)
         out += fmt::format("|op|{} \u2192 {}|{}|\n", one.before.text, one.after.text,
                            text_of(f, one, v));
       return out;
     }},
    {"a heading over two columns",
     [](const std::vector<FormRow>& rows, const Values& v, const Figures& f) {
       std::string out =
           table_head(fmt::format("|Op|Value{}||{}|", v.unit, f.header), 4) + "||Before|After||\n";
       for (const FormRow& one : rows)
         out += fmt::format("|op|{}|{}|{}|\n", one.before.text, one.after.text, text_of(f, one, v));
       return out;
     }},
};

// Wrong figures of it can't be told from right ones.
const Layout kTransposed = {"rows before and after", [](const std::vector<FormRow>& rows,
                                                        const Values& v, const Figures& f) {
                              std::string before = "|Before", after = "|After",
                                          figure = std::string("|") + f.header, cases;
                              for (size_t i = 0; i < rows.size(); ++i) {
                                cases += fmt::format("case {}|", i);
                                before += "|" + rows[i].before.text;
                                after += "|" + rows[i].after.text;
                                figure += "|" + text_of(f, rows[i], v);
                              }
                              return table_head("||" + cases, rows.size() + 1) + before + "|\n" +
                                     after + "|\n" + figure + "|\n";
                            }};

std::vector<FormRow> draw_rows(const Values& values) {
  std::vector<FormRow> out(*rc::gen::inRange<size_t>(1, 5));
  for (FormRow& one : out) {
    one.before = values.write(*rc::gen::inRange(10000, 9000000) / 100.0);
    one.after = values.write(*rc::gen::inRange(10000, 9000000) / 100.0);
    one.ratio = values.more_is_better ? one.after.value / one.before.value
                                      : one.before.value / one.after.value;
  }
  return out;
}

struct Form {
  const Layout* layout;
  const Values* values;
};

void PrintTo(const Form& form, std::ostream* out) {
  *out << form.layout->name << ", " << form.values->name;
}

std::vector<Form> forms() {
  std::vector<Form> out;
  for (const Layout& layout : kLayouts) {
    for (const Values& values : all_values()) out.push_back({&layout, &values});
  }
  return out;
}

class FormsProperty : public testing::TestWithParam<Form> {};

// Draws the way in which its figures are printed: one for the whole table.
const Figures& draw_figures() {
  return all_figures()[*rc::gen::inRange<size_t>(0, all_figures().size())];
}
// The same for a layout. A reduction is none without the word.
const Figures& draw_figures_of(const Layout& layout) {
  const Figures& figures = draw_figures();
  if (!layout.says_direction && figures.header == std::string("Reduction")) {
    RC_DISCARD("nothing says that it is a reduction");
  }
  return figures;
}

TEST_P(FormsProperty, TrueFiguresAccuseNobody) {
  const Form form = GetParam();
  const bool held = rc::check([&] {
    const Figures& figures = draw_figures_of(*form.layout);
    const std::vector<FormRow> rows = draw_rows(*form.values);
    const std::string page = form.layout->page(rows, *form.values, figures);
    size_t right = 0;
    for (const Finding& f : audit(page)) {
      if (accuses(f.kind)) RC_FAIL(fmt::format("{}: {}: {}\n{}", f.line, f.figure, f.note, page));
      right += f.kind == Kind::kRight || f.kind == Kind::kRounded;
    }
    RC_LOG() << page;
    RC_ASSERT(right == rows.size());
  });
  EXPECT_TRUE(held);
}

TEST_P(FormsProperty, AWrongFigureIsFound) {
  const Form form = GetParam();
  const bool held = rc::check([&] {
    const Figures& figures = draw_figures_of(*form.layout);
    std::vector<FormRow> rows = draw_rows(*form.values);
    const auto which = *rc::gen::inRange<size_t>(0, rows.size());
    const double truth = rows[which].ratio;
    rows[which].ratio *= *rc::gen::element(0.3, 0.6, 1.7, 3.0);
    const Figure planted = figure_of(figures, rows[which], *form.values);
    // A bound may be true of what it is not the bound of.
    if (planted.bound && rows[which].ratio < truth) RC_DISCARD("a bound that holds");
    if (planted.bound && !form.layout->says_direction && planted.value <= 1.1 / truth)
      RC_DISCARD("a bound that holds of the other direction");
    if (reads_as_true(planted, truth, figures.percent))
      RC_DISCARD("read in another way it is true");
    const std::string page = form.layout->page(rows, *form.values, figures);
    size_t accused = 0;
    for (const Finding& f : audit(page)) accused += accuses(f.kind);
    RC_LOG() << page;
    RC_ASSERT(accused == 1u);
  });
  EXPECT_TRUE(held);
}

std::string name_of(const testing::TestParamInfo<Form>& info) {
  std::string out = std::string(info.param.layout->name) + "_" + info.param.values->name;
  for (char& c : out) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return out;
}

RC_GTEST_PROP(FormsPropertyOf, TransposedTablesAccuseNobody, ()) {
  const Values& values = all_values()[*rc::gen::inRange<size_t>(0, all_values().size())];
  const std::string page = kTransposed.page(draw_rows(values), values, draw_figures());
  RC_LOG() << page;
  for (const Finding& f : audit(page)) RC_ASSERT(!accuses(f.kind));
}

RC_GTEST_PROP(FormsPropertyOf, NothingIsDividedByZeroOrLess, ()) {
  const auto before = *rc::gen::inRange(-1, 1), after = *rc::gen::inRange(-1000, 1000);
  const bool swapped = *rc::gen::arbitrary<bool>();
  const std::string page =
      table_head("|Op|Before|After|Speedup|", 4) +
      fmt::format("|a|{} ms|{} ms|{:.2f}x|\n", swapped ? after : before, swapped ? before : after,
                  *rc::gen::inRange(1, 10000) / 100.0);
  RC_LOG() << page;
  for (const Finding& f : audit(page)) RC_ASSERT(f.kind == Kind::kNotCheckable);
}

INSTANTIATE_TEST_SUITE_P(All, FormsProperty, testing::ValuesIn(forms()), name_of);

}  // namespace
}  // namespace nsop::audit
