// The readers behind open_table, one a kind of file.
#pragma once

#include <memory>
#include <string>

#include "data/byte_stream.h"
#include "thalweg/data/table_source.h"

namespace thalweg::data {

/// A source that may hold its table already, as it had to see all of it.
class OpenedSource : public TableSource {
 public:
  /// The table it holds, which it then holds no longer; none when it has to be read.
  virtual std::optional<Table> take_table() { return std::nullopt; }
};

using SourcePointer = std::shared_ptr<OpenedSource>;

/// `keep_all`: the whole table is wanted, so that one pass over the file should do; else it is kept
/// only when it is small.
SourcePointer open_csv(std::shared_ptr<const StreamedFile> file, const TableOptions& options,
                       bool keep_all);
SourcePointer open_libsvm(std::shared_ptr<const StreamedFile> file, const TableOptions& options);
SourcePointer open_npy(const std::string& path, const TableOptions& options);
SourcePointer open_npz(const std::string& path, const TableOptions& options);
SourcePointer open_examples(std::shared_ptr<const StreamedFile> file, const TableOptions& options);
/// `address`: FILE?query=... or FILE?table=...
SourcePointer open_sqlite(const std::string& address, const TableOptions& options);

}  // namespace thalweg::data
