// What benchmark tools write instead of JSON, as JSON.
#pragma once

#include <string>
#include <vector>

#include "harness/foreign/import/json_rows.h"
#include "harness/foreign/import/text_source.h"

namespace nsop::foreign {

// Bytes of `text` with the repairs that read_json_rows() promises. Never looks back, and ahead only
// over blanks, one number or one word.
class JsonRepair {
 public:
  JsonRepair(TextSource& text, JsonOptions options) : text_(text), options_(options) {}
  int get();                             // the next byte, or TextSource::kEnd
  bool ended() const { return ended_; }  // was the end of the text met?

 private:
  void inside_string(int c);
  void outside_string(int c);
  void number(int c);
  void word(int c);
  bool ends_string();  // the quotation mark that was read

  TextSource& text_;
  JsonOptions options_;
  std::string ready_;  // repaired, not handed out
  size_t at_ = 0;      // in ready_
  std::vector<char> open_;
  bool in_string_ = false, ended_ = false;
};

}  // namespace nsop::foreign
