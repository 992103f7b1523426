#include "layers/training/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <span>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/core/io/limited_json.h"
#include "layers/core/quoted.h"

namespace nsop::layers {
namespace {

using Metadata = std::map<std::string, std::string>;

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie");

constexpr size_t kPrefix = 8;                         // bytes of the header's length
constexpr size_t kLargestHeader = size_t{100} << 20;  // of the format's own reader
constexpr const char* kMetadata = "__metadata__";
// Both are in every file of ours: one flipped bit can't take away both.
constexpr const char* kFormatKey = "nsop.format";
constexpr const char* kHashKey = "nsop.sha256";
constexpr const char* kFormat = "1";
const std::string kNoHash(64, '0');  // stands for the hash while it is computed

std::string length_prefix(size_t length) {
  std::string bytes(kPrefix, '\0');
  for (size_t i = 0; i < kPrefix; ++i) bytes[i] = static_cast<char>(length >> (8 * i) & 0xff);
  return bytes;
}

std::string hash_entry(const std::string& hash) {
  return fmt::format("\"{}\":\"{}\"", kHashKey, hash);
}

// A tensor of a file.
struct Entry {
  std::string type;
  Shape shape;
  size_t begin = 0, end = 0;  // bytes, from the end of the header on
};

struct File {
  std::string path;
  std::string bytes;
  size_t data_at = 0;
  Metadata metadata;
  std::map<std::string, Entry> entries;

  Error wrong(const std::string& what) const { return bad_data(path + ": " + what); }
  std::string_view header() const {
    return std::string_view(bytes).substr(kPrefix, data_at - kPrefix);
  }
};

void find_header(File& file) {
  if (file.bytes.size() < kPrefix) {
    throw file.wrong(fmt::format("{} bytes are no model file", file.bytes.size()));
  }
  size_t length = 0;
  for (size_t i = kPrefix; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(file.bytes[i]);
  }
  const size_t rest = file.bytes.size() - kPrefix;
  if (length > rest || length > kLargestHeader || length == 0 || file.bytes[kPrefix] != '{') {
    throw file.wrong(fmt::format(
        "is no model file or truncated: a header of {} bytes in {} that follow", length, rest));
  }
  file.data_at = kPrefix + length;
}

size_t whole_number(const File& file, const std::string& name, const Json& json) {
  if (!json.is_number_unsigned()) {
    throw file.wrong(fmt::format("tensor {}: {} where a whole number was expected", quoted(name),
                                 json.dump().substr(0, 40)));
  }
  return json.get<size_t>();
}

Entry read_entry(const File& file, const std::string& name, const Json& json) {
  const bool complete = json.is_object() && json.size() == 3 && json.contains("dtype") &&
                        json["dtype"].is_string() && json.contains("shape") &&
                        json["shape"].is_array() && json.contains("data_offsets") &&
                        json["data_offsets"].is_array() && json["data_offsets"].size() == 2;
  if (!complete) {
    throw file.wrong(
        fmt::format("tensor {}: expected dtype, shape and two data_offsets", quoted(name)));
  }
  Entry entry;
  entry.type = json["dtype"].get<std::string>();
  for (const Json& extent : json["shape"]) {
    entry.shape.push_back(static_cast<int64_t>(whole_number(file, name, extent)));
  }
  entry.begin = whole_number(file, name, json["data_offsets"][0]);
  entry.end = whole_number(file, name, json["data_offsets"][1]);
  return entry;
}

void read_header(File& file) {
  const Json header = parse_limited(file.header(), file.path + ": header");
  for (const auto& [name, json] : header.items()) {
    if (name != kMetadata) {
      file.entries[name] = read_entry(file, name, json);
      continue;
    }
    if (!json.is_object()) throw file.wrong("the metadata are no object");
    for (const auto& [key, value] : json.items()) {
      if (!value.is_string()) throw file.wrong(fmt::format("metadata {} is no text", quoted(key)));
      file.metadata[key] = value.get<std::string>();
    }
  }
}

// Tensors must follow each other without gap from the first to the last byte of the data.
void check_layout(const File& file) {
  std::vector<const std::pair<const std::string, Entry>*> order;
  for (const auto& named : file.entries) order.push_back(&named);
  std::ranges::sort(order, {}, [](const auto* named) {
    return std::pair(named->second.begin, named->second.end);
  });
  size_t at = 0;
  for (const auto* named : order) {
    const auto& [name, entry] = *named;
    if (entry.begin != at || entry.end < entry.begin) {
      const char* what = entry.begin < at ? "overlaps another" : "leaves a gap";
      throw file.wrong(fmt::format("tensor {} at bytes [{}, {}) {}; {} was to come next",
                                   quoted(name), entry.begin, entry.end, what, at));
    }
    at = entry.end;
  }
  const size_t given = file.bytes.size() - file.data_at;
  if (at != given) {
    throw file.wrong(fmt::format("is {}: {} bytes of tensors, the header speaks of {}",
                                 given < at ? "truncated" : "too long", given, at));
  }
}

// Where a file has our metadata, its hash must be right.
void check_hash(const File& file) {
  if (!file.metadata.contains(kFormatKey) && !file.metadata.contains(kHashKey)) return;
  const auto format = file.metadata.find(kFormatKey);
  if (format != file.metadata.end() && format->second != kFormat) {
    throw file.wrong(fmt::format("is of format {}, this program reads {}; or it is damaged",
                                 quoted(format->second), kFormat));
  }
  const auto hash = file.metadata.find(kHashKey);
  const std::string entry = hash == file.metadata.end() ? "" : hash_entry(hash->second);
  const size_t at = entry.empty() ? std::string::npos : file.header().find(entry);
  std::string bytes = file.bytes;
  if (at != std::string::npos && hash->second.size() == kNoHash.size()) {
    bytes.replace(kPrefix + at, entry.size(), hash_entry(kNoHash));
    if (sha256_hex(bytes) == hash->second) return;
  }
  throw file.wrong("is damaged: its content does not have the SHA-256 that it states");
}

Error mismatch(const File& file, const ModelTensor& tensor, const std::string& what) {
  const std::string owner = tensor.owner.empty() ? "" : fmt::format(" of {}", tensor.owner);
  return file.wrong(fmt::format("tensor {}{}: {}", quoted(tensor.name), owner, what));
}

void check_match(const File& file, const std::vector<ModelTensor>& tensors) {
  std::set<std::string> known;
  for (const ModelTensor& tensor : tensors) {
    known.insert(tensor.name);
    const auto it = file.entries.find(tensor.name);
    if (it == file.entries.end()) {
      throw mismatch(file, tensor,
                     fmt::format("expected shape {}, but the file has no such tensor",
                                 shape_text(tensor.shape)));
    }
    const Entry& entry = it->second;
    if (entry.type != "F32") {
      throw mismatch(file, tensor, fmt::format("expected type F32, given {}", quoted(entry.type)));
    }
    if (entry.shape != tensor.shape) {
      throw mismatch(file, tensor,
                     fmt::format("expected shape {}, given {}", shape_text(tensor.shape),
                                 shape_text(entry.shape)));
    }
    if (entry.end - entry.begin != tensor.value.size_bytes()) {
      throw mismatch(file, tensor,
                     fmt::format("{} bytes of data, its shape needs {}", entry.end - entry.begin,
                                 tensor.value.size_bytes()));
    }
  }
  for (const auto& [name, entry] : file.entries) {
    const bool extra = name.starts_with("optimizer.") || name.starts_with("training.");
    if (known.contains(name) || extra) continue;
    throw file.wrong(fmt::format("tensor {} ({} {}) is none of the model's", quoted(name),
                                 quoted(entry.type), shape_text(entry.shape)));
  }
}

File open_model(const std::string& path) {
  File file{path, read_file(path), 0, {}, {}};
  find_header(file);
  read_header(file);
  check_layout(file);
  check_hash(file);
  return file;
}

Json header_json(const std::vector<ModelTensor>& tensors, const Metadata& metadata) {
  Json header;
  header[kMetadata] = {{kFormatKey, kFormat}, {kHashKey, kNoHash}};
  for (const auto& [key, value] : metadata) {
    if (key != kFormatKey && key != kHashKey) header[kMetadata][key] = value;
  }
  size_t at = 0;
  for (const ModelTensor& tensor : tensors) {
    if (header.contains(tensor.name)) {
      throw usage_error(fmt::format("two tensors of the model are called '{}'", tensor.name));
    }
    const size_t end = at + tensor.value.size_bytes();
    header[tensor.name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
    at = end;
  }
  return header;
}

void add(std::vector<ModelTensor>& tensors, const auto& named, const std::string& owner) {
  tensors.push_back({named.name, named.shape, named.value, owner});
}

}  // namespace

std::vector<ModelTensor> tensors_of(const Sequential& network) {
  const auto owner = [&](const std::string& name) {
    return network.layer(std::stoul(name)).name();  // names begin with the layer's position
  };
  std::vector<ModelTensor> tensors;
  for (const Parameter& p : network.parameters()) add(tensors, p, owner(p.name));
  for (const Buffer& b : network.buffers()) add(tensors, b, owner(b.name));
  return tensors;
}

std::vector<ModelTensor> tensors_of(const Sequential& network, const Optimizer& optimizer) {
  std::vector<ModelTensor> tensors = tensors_of(network);
  for (const Buffer& b : optimizer.state()) add(tensors, b, optimizer.name());
  for (Buffer b : network.training_state()) {
    const std::string owner = network.layer(std::stoul(b.name)).name();
    b.name = "training." + b.name;
    add(tensors, b, owner);
  }
  return tensors;
}

void save_model(const std::string& path, const std::vector<ModelTensor>& tensors,
                const std::map<std::string, std::string>& metadata) {
  std::string header =
      header_json(tensors, metadata).dump(-1, ' ', false, Json::error_handler_t::replace);
  header.resize((header.size() + kPrefix - 1) / kPrefix * kPrefix, ' ');
  std::string bytes = length_prefix(header.size()) + header;
  for (const ModelTensor& tensor : tensors) {
    bytes.append(reinterpret_cast<const char*>(tensor.value.data()), tensor.value.size_bytes());
  }
  const std::string hash = hash_entry(sha256_hex(bytes));
  bytes.replace(bytes.find(hash_entry(kNoHash)), hash.size(), hash);
  write_file_atomically(path, bytes);
}

std::map<std::string, std::string> read_metadata(const std::string& path) {
  File file = open_model(path);
  file.metadata.erase(kFormatKey);
  file.metadata.erase(kHashKey);
  return file.metadata;
}

std::map<std::string, std::string> load_model(const std::string& path,
                                              const std::vector<ModelTensor>& tensors) {
  File file = open_model(path);
  check_match(file, tensors);
  for (const ModelTensor& tensor : tensors) {
    const size_t at = file.data_at + file.entries.at(tensor.name).begin;
    std::ranges::copy(std::span(file.bytes).subspan(at, tensor.value.size_bytes()),
                      reinterpret_cast<char*>(tensor.value.data()));
  }
  file.metadata.erase(kFormatKey);
  file.metadata.erase(kHashKey);
  return file.metadata;
}

}  // namespace nsop::layers
