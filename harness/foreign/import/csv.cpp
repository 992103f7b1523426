// CSV whose columns the user declares. No header: formats.h declares the readers.
// Source: RFC 4180; a separator other than the comma is declared, too.
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/numbers.h"
#include "harness/foreign/import/units.h"

namespace nsop::foreign {
namespace {

constexpr size_t kMostRecord = 1u << 20;  // bytes

struct Columns {
  std::string name, time, unit, repetition, threads, allocs, bytes;
  std::vector<std::string> params;
  char separator = ',';
};

constexpr const char* kExpected =
    "expected e.g. 'name=COLUMN,time=COLUMN:ns', and repetition=, threads=, param=, allocs=, "
    "bytes= with a column, separator=tab or semicolon";

char separator_named(const std::string& name) {
  if (name == "tab") return '\t';
  if (name == "semicolon") return ';';
  if (name == "comma") return ',';
  throw usage_error(
      fmt::format("--columns: separator '{}': expected comma, semicolon or tab", name));
}

Columns parse_columns(const std::string& text) {
  Columns c;
  for (const std::string& part : split(text, ',')) {
    const size_t at = part.find('=');
    const std::string role = part.substr(0, at);
    std::string column = at == std::string::npos ? "" : part.substr(at + 1);
    if (column.empty()) throw usage_error(fmt::format("--columns: '{}': {}", part, kExpected));
    if (role == "separator") {
      c.separator = separator_named(column);
    } else if (role == "param") {
      c.params.push_back(column);
    } else if (role == "time") {
      const size_t colon = column.rfind(':');
      if (colon != std::string::npos) c.unit = column.substr(colon + 1);
      c.time = column.substr(0, colon);
      if (!ns_per_op(1, c.unit)) {
        throw usage_error(
            fmt::format("--columns: '{}': unit '{}' is no time; {}", part, c.unit, kExpected));
      }
    } else {
      const std::pair<const char*, std::string*> places[] = {{"name", &c.name},
                                                             {"repetition", &c.repetition},
                                                             {"threads", &c.threads},
                                                             {"allocs", &c.allocs},
                                                             {"bytes", &c.bytes}};
      const auto* place = std::find_if(std::begin(places), std::end(places),
                                       [&](const auto& one) { return role == one.first; });
      if (place == std::end(places)) {
        throw usage_error(fmt::format("--columns: unknown role '{}'; {}", role, kExpected));
      }
      *place->second = column;
    }
  }
  if (c.name.empty() || c.time.empty()) {
    throw usage_error(fmt::format("--columns: name and time are needed; {}", kExpected));
  }
  return c;
}

// One record, whose quoted fields may hold separators, quotes and line ends.
class Records {
 public:
  Records(TextSource& text, char separator) : text_(text), separator_(separator) {}

  // false: there is no more.
  bool next(std::vector<std::string>& fields) {
    fields.assign(1, "");
    size_t bytes = 0;
    bool quoted = false, any = false;
    for (int c = text_.get(); c != TextSource::kEnd; c = text_.get()) {
      any = true;
      if (++bytes > kMostRecord)
        throw bad_data("a record of more than 1 MiB: is a quote left open?");
      if (quoted) {
        if (c != '"') {
          fields.back() += static_cast<char>(c);
        } else if (text_.peek() == '"') {
          fields.back() += static_cast<char>(text_.get());
        } else {
          quoted = false;
        }
      } else if (c == '"' && fields.back().empty()) {
        quoted = true;
      } else if (c == separator_) {
        fields.emplace_back();
      } else if (c == '\n') {
        was_ended_ = true;
        return true;
      } else if (c != '\r' || text_.peek() != '\n') {
        fields.back() += static_cast<char>(c);
      }
    }
    was_ended_ = false;
    return any;
  }
  // Had the last one an end? Without one, digits or fields may have been cut off.
  bool was_ended() const { return was_ended_; }

 private:
  TextSource& text_;
  char separator_;
  bool was_ended_ = true;
};

class CsvReader {
 public:
  CsvReader(const Columns& columns, const std::vector<std::string>& header, ForeignFile& file)
      : columns_(columns), header_(header), file_(file) {
    for (const std::string& name : {columns.name, columns.time}) place(name);
    for (const std::string& name : columns.params) place(name);
    for (const std::string& name :
         {columns.repetition, columns.threads, columns.allocs, columns.bytes}) {
      if (!name.empty()) place(name);
    }
  }

  void record(const std::vector<std::string>& fields) {
    if (fields.size() == 1 && fields[0].empty()) return;  // an empty line
    file_.count_row();
    if (fields.size() != header_.size()) {
      return file_.leave_out("its number of fields is not that of the header", fields[0]);
    }
    const auto cell = [&](const std::string& column) { return fields[place(column)]; };
    Identity identity{{"name", cell(columns_.name)}};
    if (identity[0].second.empty()) return file_.leave_out("it has no name", "");
    for (const std::string& param : columns_.params)
      identity.emplace_back("p." + param, cell(param));
    const std::string name = display_name(identity);
    const auto time = number_of(trim(cell(columns_.time)));
    if (!time) return file_.leave_out("the time is no number", name);
    int64_t threads = 1;
    std::optional<int64_t> repetition;
    if (!columns_.threads.empty()) threads = integer_of(trim(cell(columns_.threads))).value_or(0);
    if (threads < 1 || threads > 1 << 20) return file_.leave_out("its threads are no number", name);
    if (!columns_.repetition.empty()) {
      repetition = integer_of(trim(cell(columns_.repetition)));
      if (!repetition) return file_.leave_out("its repetition is no whole number", name);
    }
    ForeignRow* row = file_.add_sample(identity, static_cast<int>(threads),
                                       {.ns = *ns_per_op(*time, columns_.unit)}, repetition);
    if (row == nullptr || columns_.allocs.empty() || columns_.bytes.empty()) return;
    const auto allocs = number_of(trim(cell(columns_.allocs)));
    const auto bytes = number_of(trim(cell(columns_.bytes)));
    if (allocs && bytes && *allocs >= 0 && *bytes >= 0) {
      row->allocs_and_bytes.emplace_back(*allocs, *bytes);
    } else {
      file_.leave_out("its allocations are no number", name);
    }
  }

 private:
  size_t place(const std::string& column) const {
    const auto at = std::find(header_.begin(), header_.end(), column);
    if (at == header_.end()) {
      throw usage_error(fmt::format("--columns: {} has no column '{}'; it has {}", file_.where(),
                                    column, printable(join(header_, ", ").substr(0, 300))));
    }
    return static_cast<size_t>(at - header_.begin());
  }

  const Columns& columns_;
  std::vector<std::string> header_;
  ForeignFile& file_;
};

}  // namespace

// Of a text alone nobody knows what its columns are.
bool is_csv(const Head& /*head*/) { return false; }

void read_csv(TextSource& text, const ReadOptions& options, ForeignFile& file) {
  if (options.columns.empty()) {
    throw usage_error(fmt::format("a CSV file needs --columns: {}", kExpected));
  }
  const Columns columns = parse_columns(options.columns);
  Records records(text, columns.separator);
  std::vector<std::string> fields;
  if (!records.next(fields)) throw bad_data(file.where() + ": it has no header");
  if (!records.was_ended()) {  // a column's name may be half of one
    file.truncated = true;
    return;
  }
  for (std::string& column : fields) column = trim(column);
  CsvReader reader(columns, fields, file);
  while (records.next(fields)) {
    if (!records.was_ended()) {
      file.truncated = true;
      return;
    }
    reader.record(fields);
  }
}

}  // namespace nsop::foreign
