// Files and the clock. Checkpoints are the formats room's: these kernels only hand tensors over.
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"

namespace thalweg {
namespace {

// Whether "4 5 0,4:-" names all of a tensor of this shape.
bool is_whole(const std::string& slice, const Shape& shape) {
  const std::vector<std::string> words = split(slice, ' ');
  const std::vector<std::string> ranges = split(words.back(), ':');
  if (ranges.size() != static_cast<size_t>(shape.rank()) || ranges.size() + 1 != words.size())
    return false;
  for (int i = 0; i < shape.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    const std::string size = str(shape[i]);
    if (words[k] != size || (ranges[k] != "-" && ranges[k] != "0," + size)) return false;
  }
  return true;
}

KernelPtr make_save(const KernelRequest& request) {
  std::vector<std::pair<DType, Shape>> tensors;
  for (const TensorSpec& input : request.inputs.subspan(3))
    tensors.emplace_back(input.dtype, input.shape);
  return make_kernel([tensors](KernelContext& c) {
    const std::string& prefix = *c.input<std::string>(0);
    make_folders(folder_name(prefix));
    BundleWriter writer(prefix);
    for (size_t i = 0; i < tensors.size(); ++i) {
      const auto& [dtype, shape] = tensors[i];
      const std::string& name = c.input<std::string>(1)[i];
      if (const std::string& slice = c.input<std::string>(2)[i];
          !slice.empty() && !is_whole(slice, shape)) {
        throw unimplemented("tensor `", name, "` ", shape, ": saving it as the part `", slice,
                            "`; save whole tensors");
      }
      Tensor copy(dtype, shape);
      reference::copy_elements(dtype, c.input_pointer(static_cast<int>(i) + 3), copy.mutable_raw(),
                               shape.num_elements());
      writer.add(name, copy);
    }
    writer.finish();
  });
}

KernelPtr make_restore(const KernelRequest& request) {
  std::vector<DType> dtypes;
  for (const TensorSpec& output : request.outputs) dtypes.push_back(output.dtype);
  return make_kernel([dtypes](KernelContext& c) {
    const BundleReader reader(*c.input<std::string>(0));
    for (size_t i = 0; i < dtypes.size(); ++i) {
      const std::string& name = c.input<std::string>(1)[i];
      Tensor value = read_slice(reader, name, c.input<std::string>(2)[i]);
      if (value.dtype() != dtypes[i]) {
        throw invalid_argument("tensor `", name, "` of ", reader.prefix(), " is ", value.dtype(),
                               ", expected ", dtypes[i]);
      }
      c.set_output(static_cast<int>(i), std::move(value));
    }
  });
}

KernelPtr make_merge(const KernelRequest& request) {
  return make_kernel([count = request.inputs[0].shape.num_elements(),
                      delete_folders = request.node.attr<bool>("delete_old_dirs"),
                      may_miss = request.node.attr<bool>("allow_missing_files")](KernelContext& c) {
    const auto* prefixes = c.input<std::string>(0);
    const std::string& destination = *c.input<std::string>(1);
    std::vector<std::string> merged;
    BundleWriter writer(destination);
    for (int64_t i = 0; i < count; ++i) {
      if (may_miss && !checkpoint_exists(prefixes[i])) continue;
      const BundleReader reader(prefixes[i]);
      for (const std::string& name : reader.names()) writer.add(name, reader.read(name));
      merged.push_back(prefixes[i]);
    }
    writer.finish();
    for (const std::string& prefix : merged) {
      if (prefix == destination) continue;
      remove_checkpoint(prefix);
      const std::string folder = folder_name(prefix);
      // Fails, as it should, on a folder that holds anything else.
      if (delete_folders && folder != folder_name(destination))
        static_cast<void>(::rmdir(folder.c_str()));
    }
  });
}

std::string five_digits(int32_t number) {
  std::string text = str(number);
  return text.size() < 5 ? std::string(5 - text.size(), '0') + text : text;
}

KernelPtr make_sharded_name(const KernelRequest&) {
  return make_kernel([](KernelContext& c) {
    *c.output<std::string>() = str(*c.input<std::string>(0), "-", five_digits(*c.input<int32_t>(1)),
                                   "-of-", five_digits(*c.input<int32_t>(2)));
  });
}

KernelPtr make_sharded_spec(const KernelRequest&) {
  return make_kernel([](KernelContext& c) {
    *c.output<std::string>() =
        str(*c.input<std::string>(0), "-\?\?\?\?\?-of-", five_digits(*c.input<int32_t>(1)));
  });
}

KernelPtr make_read(const KernelRequest&) {
  return make_kernel(
      [](KernelContext& c) { *c.output<std::string>() = read_file(*c.input<std::string>(0)); });
}

KernelPtr make_write(const KernelRequest&) {
  return make_kernel([](KernelContext& c) {
    const std::string& path = *c.input<std::string>(0);
    make_folders(folder_name(path));
    write_file(path, *c.input<std::string>(1));
  });
}

// Paths below `folder` that match the parts from `next` on.
void match(const std::string& folder, const std::vector<std::string>& parts, size_t next,
           std::vector<std::string>& out) {
  if (next == parts.size()) {
    out.push_back(folder);
    return;
  }
  const std::string& part = parts[next];
  if (part.find_first_of("*?[\\") == std::string::npos) {
    const std::string path = folder.empty() && next > 0 ? "/" + part : join_path(folder, part);
    if (file_exists(path) || is_folder(path)) match(path, parts, next + 1, out);
    return;
  }
  const std::string listed = folder.empty() ? (next > 0 ? "/" : ".") : folder;
  if (!is_folder(listed)) return;
  for (const std::string& name : list_folder(listed)) {
    if (::fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) == 0)
      match(folder.empty() && next > 0 ? "/" + name : join_path(folder, name), parts, next + 1,
            out);
  }
}

KernelPtr make_matching(const KernelRequest& request) {
  return make_kernel([count = request.inputs[0].shape.num_elements()](KernelContext& c) {
    std::vector<std::string> found;
    for (int64_t i = 0; i < count; ++i) {
      const std::string& pattern = c.input<std::string>(0)[i];
      // A leading '/' leaves an empty first part.
      std::vector<std::string> parts = split(pattern, '/');
      const bool absolute = pattern.starts_with('/');
      std::erase(parts, "");
      if (absolute) parts.insert(parts.begin(), "");
      match("", parts, absolute ? 1 : 0, found);
    }
    std::sort(found.begin(), found.end());
    c.set_output(0, Tensor::from(std::span<const std::string>(found),
                                 Shape{static_cast<int64_t>(found.size())}));
  });
}

KernelPtr make_timestamp(const KernelRequest&) {
  return make_kernel([](KernelContext& c) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    *c.output<double>() = std::chrono::duration<double>(now).count();
  });
}

KernelPtr make_print(const KernelRequest& request) {
  constexpr std::string_view kFile = "file://";
  const auto& stream = request.node.attr<std::string>("output_stream");
  const auto& end = request.node.attr<std::string>("end");
  const std::string path = stream.starts_with(kFile) ? stream.substr(kFile.size()) : "";
  return make_kernel([path, end](KernelContext& c) {
    const std::string& text = *c.input<std::string>(0);
    if (path.empty()) return c.print(end == "\n" ? text : text + end);
    std::FILE* file = std::fopen(path.c_str(), "a");
    if (file == nullptr) throw permission_denied("PrintV2 cannot append to ", path);
    const std::string line = text + end;
    const bool written = std::fwrite(line.data(), 1, line.size(), file) == line.size();
    if (std::fclose(file) != 0 || !written) throw unavailable("PrintV2 could not write to ", path);
  });
}

constexpr KernelDef kKernels[] = {
    {"SaveV2", "reference", make_save},
    {"RestoreV2", "reference", make_restore},
    {"MergeV2Checkpoints", "reference", make_merge},
    {"ShardedFilename", "reference", make_sharded_name},
    {"ShardedFilespec", "reference", make_sharded_spec},
    {"ReadFile", "reference", make_read},
    {"WriteFile", "reference", make_write},
    {"MatchingFiles", "reference", make_matching},
    {"Timestamp", "reference", make_timestamp},
    {"PrintV2", "reference", make_print},
};

}  // namespace

std::span<const KernelDef> reference_outside_kernels() { return kKernels; }

}  // namespace thalweg
