#include "kernels/families.h"
#include "kernels/reference/sparse.h"
#include "kernels/reference/wire_writer.h"
#include "thalweg/formats/tensor_proto.h"
#include "thalweg/tensor/variant.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::SparseIndices;
using reference::SparseInput;
using Request = const KernelRequest&;

// A tensor as an element of another.
class HeldTensor final : public VariantValue {
 public:
  explicit HeldTensor(Tensor held) : tensor(std::move(held)) {}
  std::string to_string() const override { return str(tensor.dtype(), tensor.shape()); }
  const Tensor tensor;
};

// Writes a tensor as element i of a tensor of messages.
void write_message(DType messages, void* to, int64_t i, Tensor tensor) {
  if (messages == kString) {
    static_cast<std::string*>(to)[i] =
        reference::packed_tensor_message(tensor.dtype(), tensor.shape(), tensor.raw());
  } else {
    static_cast<Variant*>(to)[i] = Variant(std::make_shared<HeldTensor>(std::move(tensor)));
  }
}

Tensor read_message(DType messages, const void* from, int64_t i) {
  if (messages == kString) return decode_tensor(static_cast<const std::string*>(from)[i]);
  const Variant& value = static_cast<const Variant*>(from)[i];
  const auto* held = value.get<HeldTensor>();
  if (held == nullptr)
    throw invalid_argument("element ", i, " holds ", value.to_string(), ", expected a tensor");
  return held->tensor;
}

Tensor indices_tensor(const Ints& indices, size_t rank) {
  const auto columns = static_cast<int64_t>(rank);
  const int64_t count = columns == 0 ? 0 : static_cast<int64_t>(indices.size()) / columns;
  return Tensor::from(std::span<const int64_t>(indices), Shape{count, columns});
}
Tensor vector_tensor(const Ints& values) {
  return Tensor::from(std::span<const int64_t>(values), Shape{static_cast<int64_t>(values.size())});
}

// Entries [begin, end) of the values.
Tensor part(const void* values, DType dtype, int64_t begin, int64_t end) {
  Tensor result(dtype, Shape{end - begin});
  reference::copy_elements(dtype, reference::element_at(dtype, values, begin), result.mutable_raw(),
                           end - begin);
  return result;
}

KernelPtr make_serialize(Request request) {
  const DType dtype = request.inputs[1].dtype;
  if (!reference::has_elements(dtype) || dtype == kVariant) return nullptr;
  return make_kernel([dtype, x = SparseInput(request, 0, 2),
                      messages = request.outputs[0].dtype](KernelContext& c) {
    const SparseIndices sparse = x.read(c);
    void* to = c.output_pointer(0);
    write_message(messages, to, 0, indices_tensor(sparse.indices, sparse.rank()));
    write_message(messages, to, 1, part(c.input_pointer(1), dtype, 0, sparse.count));
    write_message(messages, to, 2, vector_tensor(sparse.shape));
  });
}

KernelPtr make_serialize_many(Request request) {
  const DType dtype = request.inputs[1].dtype;
  if (!reference::has_elements(dtype) || dtype == kVariant) return nullptr;
  return make_kernel([dtype, x = SparseInput(request, 0, 2), messages = request.outputs[0].dtype,
                      place = reference::OutputPlace(request, 0)](KernelContext& c) {
    const SparseIndices sparse = x.read(c);
    if (sparse.rank() < 2) {
      throw invalid_argument("a tensor of shape ", sparse.shape,
                             " has no slices: expected two dimensions or more");
    }
    const Ints shape(sparse.shape.begin() + 1, sparse.shape.end());
    const int64_t batch = sparse.shape[0];
    void* to = place.memory(c, Shape{batch, 3});
    int64_t next = 0;
    for (int64_t row = 0; row < batch; ++row) {
      const int64_t begin = next;
      Ints indices;
      for (; next < sparse.count && sparse.at(next)[0] == row; ++next) {
        const auto index = sparse.at(next);
        indices.insert(indices.end(), index.begin() + 1, index.end());
      }
      write_message(messages, to, row * 3, indices_tensor(indices, shape.size()));
      write_message(messages, to, row * 3 + 1, part(c.input_pointer(1), dtype, begin, next));
      write_message(messages, to, row * 3 + 2, vector_tensor(shape));
    }
    if (next < sparse.count) {
      throw invalid_argument("entry ", next, " has first index ", sparse.at(next)[0],
                             " after a larger one; bring the entries in order (SparseReorder)");
    }
  });
}

// One row of three messages.
struct Row {
  Tensor indices;
  Tensor values;
  Tensor shape;

  Row(DType messages, const void* from, int64_t row, DType dtype)
      : indices(read_message(messages, from, row * 3)),
        values(read_message(messages, from, row * 3 + 1)),
        shape(read_message(messages, from, row * 3 + 2)) {
    if (indices.dtype() != kInt64 || indices.shape().rank() != 2 || shape.dtype() != kInt64 ||
        shape.shape().rank() != 1 || values.shape().rank() != 1) {
      throw invalid_argument("row ", row, " holds indices ", indices.dtype(), indices.shape(),
                             ", values ", values.dtype(), values.shape(), " and shape ",
                             shape.dtype(), shape.shape(),
                             "; expected int64[n, rank], [n] and int64[rank]");
    }
    if (values.dtype() != dtype) {
      throw invalid_argument("row ", row, " holds values of ", values.dtype(), ", but `dtype` is ",
                             dtype);
    }
    if (indices.dim(0) != values.dim(0) || indices.dim(1) != shape.dim(0)) {
      throw invalid_argument("row ", row, " holds indices ", indices.shape(), ", values ",
                             values.shape(), " and a shape of ", shape.dim(0), " dimensions");
    }
  }
};

KernelPtr make_deserialize(Request request) {
  const DType dtype = request.outputs[1].dtype;
  if (!reference::has_elements(dtype) || dtype == kVariant) return nullptr;
  return make_kernel([dtype, messages = request.inputs[0].dtype, given = request.inputs[0].shape,
                      places = reference::output_places(request)](KernelContext& c) {
    if (given.rank() < 1 || given[given.rank() - 1] != 3)
      throw invalid_argument("`serialized_sparse` must have shape [..., 3], got ", given);
    const Shape outer = given.slice(0, given.rank() - 1);
    const int64_t count = outer.num_elements();
    if (count == 0) throw invalid_argument("there is no sparse tensor in shape ", given);
    std::vector<Row> rows;
    int64_t entries = 0;
    for (int64_t i = 0; i < count; ++i) {
      rows.emplace_back(messages, c.input_pointer(0), i, dtype);
      if (rows[static_cast<size_t>(i)].shape.dim(0) != rows[0].shape.dim(0)) {
        throw invalid_argument("row ", i, " is a tensor of ",
                               rows[static_cast<size_t>(i)].shape.dim(0),
                               " dimensions, those before it have ", rows[0].shape.dim(0));
      }
      entries += rows[static_cast<size_t>(i)].values.dim(0);
    }
    const auto inner = static_cast<size_t>(rows[0].shape.dim(0));
    const size_t rank = static_cast<size_t>(outer.rank()) + inner;
    Ints shape(outer.dims().begin(), outer.dims().end());
    shape.resize(rank, 0);
    Ints indices;
    Tensor values(dtype, Shape{entries});
    void* value = values.mutable_raw();
    int64_t done = 0;
    for (int64_t i = 0; i < count; ++i) {
      const Row& row = rows[static_cast<size_t>(i)];
      for (size_t d = 0; d < inner; ++d) {
        int64_t& dim = shape[static_cast<size_t>(outer.rank()) + d];
        dim = std::max(dim, row.shape.data<int64_t>()[d]);
      }
      Ints prefix(static_cast<size_t>(outer.rank()));
      int64_t rest = i;
      for (size_t d = prefix.size(); d-- > 0;) {
        prefix[d] = rest % outer[static_cast<int>(d)];
        rest /= outer[static_cast<int>(d)];
      }
      const int64_t here = row.values.dim(0);
      for (size_t e = 0; e < static_cast<size_t>(here); ++e) {
        indices.insert(indices.end(), prefix.begin(), prefix.end());
        for (size_t d = 0; d < inner; ++d)
          indices.push_back(row.indices.data<int64_t>()[e * inner + d]);
      }
      reference::copy_elements(dtype, row.values.raw(), reference::element_at(dtype, value, done),
                               here);
      done += here;
    }
    const auto columns = static_cast<int64_t>(rank);
    auto* to = static_cast<int64_t*>(places[0].memory(c, Shape{entries, columns}));
    std::copy(indices.begin(), indices.end(), to);
    reference::copy_elements(dtype, values.raw(), places[1].memory(c, Shape{entries}), entries);
    reference::write_vector(c, places[2], shape);
  });
}

constexpr KernelDef kKernels[] = {
    {"SerializeSparse", "reference", make_serialize},
    {"SerializeManySparse", "reference", make_serialize_many},
    {"DeserializeSparse", "reference", make_deserialize},
    {"DeserializeManySparse", "reference", make_deserialize},
};

}  // namespace

std::span<const KernelDef> reference_sparse_serialization_kernels() { return kKernels; }

}  // namespace thalweg
