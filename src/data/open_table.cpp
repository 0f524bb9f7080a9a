// One door for all files.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "data/memory_source.h"
#include "data/table_kinds.h"
#include "thalweg/base/error.h"

namespace thalweg::data {
namespace {

std::string read_standard_input() {
  std::string bytes;
  size_t used = 0;
  while (true) {
    bytes.resize(std::max(used * 2, size_t{1} << 16));
    const ssize_t count = ::read(STDIN_FILENO, bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw unavailable("cannot read standard input: ", std::strerror(errno));
    if (count == 0) break;
    used += static_cast<size_t>(count);
  }
  bytes.resize(used);
  return bytes;
}

SourcePointer open(const std::string& address, const TableOptions& options, bool keep_all) {
  const auto file = address == "-"
                        ? std::make_shared<StreamedFile>("standard input", read_standard_input())
                        : std::make_shared<StreamedFile>(address);
  return open_csv(file, options, keep_all);
}

}  // namespace

std::shared_ptr<const TableSource> open_table(const std::string& address,
                                              const TableOptions& options) {
  return open(address, options, false);
}

Table read_table(const std::string& address, const TableOptions& options) {
  const SourcePointer source = open(address, options, true);
  if (std::optional<Table> table = source->take_table()) return std::move(*table);
  return source->read_all();
}

Table TableSource::read_all() const {
  const std::unique_ptr<TableReader> reader = open();
  std::optional<Table> table = reader->next(std::numeric_limits<int64_t>::max());
  return table ? std::move(*table) : Table();
}

}  // namespace thalweg::data
