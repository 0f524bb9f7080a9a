// Ops on look-up tables; what they do stands in lookup_table.h.
#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/lookup_table.h"
#include "kernels/reference/text.h"
#include "thalweg/base/file.h"

namespace thalweg {
namespace {

using reference::LookupTable;

class TableHandle final : public HandleKernel {
 public:
  explicit TableHandle(LookupTable::Kind kind) : kind_(std::move(kind)) {}
  std::shared_ptr<Resource> create() const override { return std::make_shared<LookupTable>(kind_); }

 private:
  LookupTable::Kind kind_;
};

template <bool kMutable>
KernelPtr make_table(const KernelRequest& request) {
  const Node& node = request.node;
  const bool tensors = node.find_attr("value_shape") != nullptr;
  return std::make_unique<TableHandle>(
      LookupTable::Kind{node.attr<DType>("key_dtype"), node.attr<DType>("value_dtype"),
                        tensors ? node.attr<Shape>("value_shape") : Shape{}, kMutable});
}

// The value of a key that a dense table takes as an input: the table is made before anything runs.
Tensor reserved_key(const Node& node, int i) {
  const Node* source = node.input(i).node();
  while (source->type() == "Identity") source = source->input(0).node();
  if (source->type() == "Const") return source->attr<Tensor>("value");
  throw unimplemented("node `", node.name(), "` (", node.type(), "): input `",
                      node.op().inputs[static_cast<size_t>(i)].name, "` must be a constant");
}

KernelPtr make_dense_table(const KernelRequest& request) {
  const Node& node = request.node;
  const Tensor empty = reserved_key(node, 0), deleted = reserved_key(node, 1);
  if (!(empty.shape() == deleted.shape()) || empty.shape().rank() > 1) {
    throw invalid_argument("empty_key ", empty.shape(), " and deleted_key ", deleted.shape(),
                           " must be scalars or vectors of one shape");
  }
  LookupTable::Kind kind{node.attr<DType>("key_dtype"), node.attr<DType>("value_dtype"),
                         node.attr<Shape>("value_shape"), true};
  kind.key_shape = empty.shape();
  kind.reserved_keys = {empty, deleted};
  return std::make_unique<TableHandle>(std::move(kind));
}

KernelPtr make_initialize(const KernelRequest& request) {
  const int64_t count = request.inputs[1].shape.num_elements();
  if (request.inputs[2].shape.num_elements() != count) {
    throw invalid_argument(count, " keys, but ", request.inputs[2].shape.num_elements(), " values");
  }
  return make_kernel(
      [count, key = request.inputs[1].dtype, value = request.inputs[2].dtype](KernelContext& c) {
        auto& table = c.resource<LookupTable>(0);
        table.check_types(key, value);
        table.initialize(c.input_pointer(1), c.input_pointer(2), count);
      });
}

// A column of a text file: all of each line, its number, or one of its fields.
class Column {
 public:
  Column(DType dtype, int64_t index, std::string_view what) : dtype_(dtype), index_(index) {
    if ((index == -2 && dtype != kString) || (index == -1 && dtype != kInt64)) {
      throw invalid_argument(what, "_index is ", index,
                             index == -2 ? " (whole lines)" : " (line numbers)", ", which gives ",
                             index == -2 ? kString : kInt64, ", but the table's ", what,
                             "s are of ", dtype);
    }
  }
  int64_t fields_needed() const { return index_ + 1; }

  /// Throws invalid_argument when the field is no value of the type.
  void add(std::string_view line, std::span<const std::string> fields, int64_t number) {
    std::string_view text =
        index_ >= 0 ? std::string_view(fields[static_cast<size_t>(index_)]) : line;
    if (dtype_ == kString) {
      strings_.emplace_back(text);
    } else if (index_ == -1) {
      append_number(number);
    } else {
      bool ok = false;
      visit_dtype(dtype_, [&]<class T>(TypeTag<T>) {
        if constexpr (requires(T & v) { reference::read_number(text, v); }) {
          T value{};
          ok = reference::read_number(text, value);
          append_number(value);
        }
      });
      if (!ok) throw invalid_argument("`", text, "` is no ", dtype_);
    }
  }
  const void* data() const {
    return dtype_ == kString ? static_cast<const void*>(strings_.data()) : bytes_.data();
  }

 private:
  template <class T>
  void append_number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }

  DType dtype_;
  int64_t index_;
  std::vector<std::string> strings_;
  std::string bytes_;
};

// Without line ends; an empty text has no lines, and nothing follows the last line end.
std::vector<std::string> lines_of(std::string text) {
  std::erase(text, '\r');
  if (text.ends_with('\n')) text.pop_back();
  return split(text, '\n');
}

KernelPtr make_initialize_from_file(const KernelRequest& request) {
  const Node& node = request.node;
  return make_kernel([key_index = node.attr<int64_t>("key_index"),
                      value_index = node.attr<int64_t>("value_index"),
                      vocab_size = node.attr<int64_t>("vocab_size"),
                      delimiter = node.attr<std::string>("delimiter"),
                      offset = node.attr<int64_t>("offset")](KernelContext& c) {
    auto& table = c.resource<LookupTable>(0);
    const std::string& path = *c.input<std::string>(1);
    Column keys(table.kind().key, key_index, "key");
    Column values(table.kind().value, value_index, "value");
    const int64_t needed = std::max(keys.fields_needed(), values.fields_needed());
    std::vector<std::string> lines = lines_of(read_file(path));
    if (vocab_size >= 0) {
      if (static_cast<int64_t>(lines.size()) < vocab_size) {
        throw invalid_argument(path, " has ", lines.size(), " lines, but vocab_size is ",
                               vocab_size);
      }
      lines.resize(static_cast<size_t>(vocab_size));
    }
    for (size_t i = 0; i < lines.size(); ++i) {
      try {
        if (lines[i].empty()) throw invalid_argument("the line is empty");
        const std::vector<std::string> fields =
            needed > 0 ? split(lines[i], delimiter[0]) : std::vector<std::string>();
        if (static_cast<int64_t>(fields.size()) < needed) {
          throw invalid_argument("expected at least ", needed, " columns, got ", fields.size());
        }
        const int64_t number = static_cast<int64_t>(i) + offset;
        keys.add(lines[i], fields, number);
        values.add(lines[i], fields, number);
      } catch (Error& error) {
        error.add_context(str(path, ":", i + 1));
        throw;
      }
    }
    table.initialize(keys.data(), values.data(), static_cast<int64_t>(lines.size()));
  });
}

KernelPtr make_find(const KernelRequest& request) {
  return make_kernel([keys = request.inputs[1].shape, key = request.inputs[1].dtype,
                      value = request.inputs[2].dtype, defaults = request.inputs[2].shape,
                      place = reference::OutputPlace(request, 0)](KernelContext& c) {
    const auto& table = c.resource<LookupTable>(0);
    table.check_types(key, value);
    const Shape& one = table.kind().value_shape;
    const Shape batch = table.batch_of(keys);
    const Shape out = batch.concat(one);
    if (defaults != one && defaults != out) {
      throw invalid_argument("default_value must have shape ", one, " or ", out, ", got ",
                             defaults);
    }
    table.find(c.input_pointer(1), batch.num_elements(), c.input_pointer(2), defaults == one,
               place.memory(c, out));
  });
}

template <bool kReplaceAll>
KernelPtr make_insert(const KernelRequest& request) {
  return make_kernel([keys = request.inputs[1].shape, key = request.inputs[1].dtype,
                      value = request.inputs[2].dtype,
                      values = request.inputs[2].shape](KernelContext& c) {
    auto& table = c.resource<LookupTable>(0);
    table.check_types(key, value);
    const Shape batch = table.batch_of(keys);
    if (const Shape wanted = batch.concat(table.kind().value_shape); values != wanted)
      throw invalid_argument("values must have shape ", wanted, ", got ", values);
    table.insert(c.input_pointer(1), c.input_pointer(2), batch.num_elements(), kReplaceAll);
  });
}

KernelPtr make_remove(const KernelRequest& request) {
  return make_kernel(
      [keys = request.inputs[1].shape, key = request.inputs[1].dtype](KernelContext& c) {
        auto& table = c.resource<LookupTable>(0);
        table.check_types(key, kInvalid);
        table.remove(c.input_pointer(1), table.batch_of(keys).num_elements());
      });
}

KernelPtr make_size(const KernelRequest&) {
  return make_kernel(
      [](KernelContext& c) { *c.output<int64_t>() = c.resource<LookupTable>(0).size(); });
}

KernelPtr make_export(const KernelRequest& request) {
  return make_kernel(
      [key = request.outputs[0].dtype, value = request.outputs[1].dtype](KernelContext& c) {
        const auto& table = c.resource<LookupTable>(0);
        table.check_types(key, value);
        auto [keys, values] = table.entries();
        c.set_output(0, std::move(keys));
        c.set_output(1, std::move(values));
      });
}

constexpr KernelDef kKernels[] = {
    {"HashTableV2", "reference", make_table<false>},
    {"AnonymousHashTable", "reference", make_table<false>},
    {"MutableHashTableV2", "reference", make_table<true>},
    {"AnonymousMutableHashTable", "reference", make_table<true>},
    {"MutableHashTableOfTensorsV2", "reference", make_table<true>},
    {"AnonymousMutableHashTableOfTensors", "reference", make_table<true>},
    {"MutableDenseHashTableV2", "reference", make_dense_table},
    {"AnonymousMutableDenseHashTable", "reference", make_dense_table},
    {"InitializeTableV2", "reference", make_initialize},
    {"InitializeTableFromTextFileV2", "reference", make_initialize_from_file},
    {"LookupTableFindV2", "reference", make_find},
    {"LookupTableInsertV2", "reference", make_insert<false>},
    {"LookupTableImportV2", "reference", make_insert<true>},
    {"LookupTableRemoveV2", "reference", make_remove},
    {"LookupTableSizeV2", "reference", make_size},
    {"LookupTableExportV2", "reference", make_export},
};

}  // namespace

std::span<const KernelDef> reference_table_kernels() { return kKernels; }

}  // namespace thalweg
