#include "harness/run/workers/oracle_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/core/text.h"

namespace nsop::run {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::milliseconds kWorthKeeping{200};
constexpr size_t kGivenKept = 32;  // some MB each at most

std::vector<std::string> numbered_files(const std::string& folder, const char* stem) {
  std::vector<std::string> paths;
  while (true) {
    std::string path = fmt::format("{}/{}{}.npy", folder, stem, paths.size());
    if (!fs::exists(path)) return paths;
    paths.push_back(std::move(path));
  }
}

std::string hash_all(const std::vector<std::string>& paths) {
  std::string all;
  for (const std::string& path : paths) all += sha256_file(path) + "\n";
  return sha256_hex(all);
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw environment_error(fmt::format("{}: can't be created: {}", folder, error.message()));
  }
}

int64_t folder_bytes(const fs::path& folder) {
  int64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : entries_of(folder, error)) {
    const auto size = entry.file_size(error);
    if (!error) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

}  // namespace

std::string default_oracle_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return fmt::format("{}/nsop/oracle", cache);
  }
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : fmt::format("{}/.cache/nsop/oracle", home);
}

OracleCache::OracleCache(WorkerCommand reference, std::string reference_sha256,
                         std::string persistent, std::string scratch, int64_t max_bytes)
    : command_(std::move(reference)),
      reference_sha256_(std::move(reference_sha256)),
      persistent_(std::move(persistent)),
      scratch_(std::move(scratch)),
      max_bytes_(max_bytes) {}

// Reads an entry; false (and gone) when it is not what its manifest says.
bool OracleCache::load(const std::string& folder, ReferenceData& data) const {
  try {
    const std::vector<std::string> manifest = split(trim(read_file(folder + "/manifest")), '\n');
    data.inputs = numbered_files(folder, "input");
    data.expected = numbered_files(folder, "expected");
    data.inputs_sha256 = hash_all(data.inputs);
    if (manifest.size() == 2 && manifest[0] == data.inputs_sha256 &&
        manifest[1] == hash_all(data.expected)) {
      std::error_code ignored;  // the time of use decides what is evicted
      fs::last_write_time(folder + "/manifest", fs::file_time_type::clock::now(), ignored);
      return true;
    }
  } catch (const Error&) {
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return false;
}

void OracleCache::evict() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  std::error_code error;
  int64_t total = 0;
  for (const auto& entry : entries_of(persistent_, error)) {
    entries.emplace_back(fs::last_write_time(entry.path() / "manifest", error), entry.path());
    total += folder_bytes(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  for (size_t i = 0; i + 1 < entries.size() && total > max_bytes_; ++i) {
    if (in_use_.contains(entries[i].second.filename())) continue;  // still handed to workers
    total -= folder_bytes(entries[i].second);
    fs::remove_all(entries[i].second, error);
  }
}

WorkerClient& OracleCache::worker() {
  if (!worker_) worker_ = std::make_unique<WorkerClient>(command_, std::vector<int>{}, 1);
  return *worker_;
}

std::vector<std::string> OracleCache::given(const std::string& case_text, uint64_t seed,
                                            const std::vector<std::string>& outputs) {
  const std::string key = sha256_hex(fmt::format("{}\n{}\n{}", case_text, seed, hash_all(outputs)));
  const std::string folder = fmt::format("{}/given-{}", scratch_, key);
  if (std::find(given_.begin(), given_.end(), folder) != given_.end()) {
    return numbered_files(folder, "expected");
  }
  std::error_code ignored;
  if (given_.size() == kGivenKept) {
    fs::remove_all(given_.front(), ignored);
    given_.pop_front();
  }
  make_folder(folder);
  try {
    worker().reference(case_text, seed, folder, outputs);
  } catch (const WorkerFailure&) {
    worker_.reset();
    fs::remove_all(folder, ignored);
    throw;
  }
  given_.push_back(folder);
  return numbered_files(folder, "expected");
}

// Has the reference worker compute an entry; returns the folder where it lies.
std::string OracleCache::compute(const std::string& key, const std::string& case_text,
                                 uint64_t seed) {
  const std::string folder = fmt::format("{}/reference-{}", scratch_, key);
  make_folder(folder);
  const auto start = std::chrono::steady_clock::now();
  try {
    worker().reference(case_text, seed, folder);
  } catch (const WorkerFailure&) {
    worker_.reset();
    throw;
  }
  const auto took = std::chrono::steady_clock::now() - start;
  write_file_atomically(folder + "/manifest",
                        fmt::format("{}\n{}\n", hash_all(numbered_files(folder, "input")),
                                    hash_all(numbered_files(folder, "expected"))),
                        Durability::kScratch);
  if (persistent_.empty() || took < kWorthKeeping) return folder;
  std::error_code error;
  fs::create_directories(persistent_, error);
  const std::string incoming = fmt::format("{}/.incoming-{}-{}", persistent_, key, getpid());
  fs::copy(folder, incoming, fs::copy_options::recursive, error);
  if (!error) fs::rename(incoming, fmt::format("{}/{}", persistent_, key), error);
  if (error) {  // a full disk must not stop a run: the entry stays in the scratch folder
    fs::remove_all(incoming, error);
    return folder;
  }
  evict();
  return folder;
}

const ReferenceData& OracleCache::get(const std::string& case_text, uint64_t seed) {
  const std::string key = sha256_hex(fmt::format("{}\n{}\n{}", case_text, seed, reference_sha256_));
  if (const auto it = known_.find(key); it != known_.end()) return it->second;
  in_use_.insert(key);
  ReferenceData data;
  const bool kept = !persistent_.empty() && fs::exists(fmt::format("{}/{}", persistent_, key)) &&
                    load(fmt::format("{}/{}", persistent_, key), data);
  if (!kept) {
    const std::string folder = compute(key, case_text, seed);
    if (!load(folder, data)) {
      throw WorkerFailure(Status::kError,
                          fmt::format("the reference wrote no readable data for '{}'", case_text));
    }
  }
  return known_.emplace(key, std::move(data)).first->second;
}

}  // namespace nsop::run
