// Regular expressions, by RE2: the library that TensorFlow's ops are defined by. It runs in time
// linear in the text whatever the pattern.
#include <re2/re2.h>

#include <memory>

#include "kernels/families.h"
#include "kernels/reference/text.h"

namespace thalweg {
namespace {

using Pattern = std::shared_ptr<const RE2>;

Pattern compile(const std::string& text) {
  RE2::Options options;
  options.set_log_errors(false);
  auto pattern = std::make_shared<RE2>(text, options);
  if (!pattern->ok())
    throw invalid_argument("the pattern `", text, "` is invalid: ", pattern->error());
  return pattern;
}

void check_rewrite(const RE2& pattern, const std::string& rewrite) {
  std::string why;
  if (!pattern.CheckRewriteString(rewrite, &why)) {
    throw invalid_argument("the rewrite `", rewrite, "` does not fit the pattern `",
                           pattern.pattern(), "`: ", why);
  }
}

// Input `i` compiled now when it is a constant, else null.
Pattern constant_pattern(const KernelRequest& request, size_t i) {
  const Tensor* value = request.inputs[i].constant;
  return value == nullptr ? nullptr : compile(value->data<std::string>()[0]);
}

std::string replaced(std::string text, const RE2& pattern, const std::string& rewrite, bool all) {
  if (all) {
    RE2::GlobalReplace(&text, pattern, rewrite);
  } else {
    RE2::Replace(&text, pattern, rewrite);
  }
  return text;
}

KernelPtr make_static_replace(const KernelRequest& request) {
  const Pattern pattern = compile(request.node.attr<std::string>("pattern"));
  const auto& rewrite = request.node.attr<std::string>("rewrite");
  check_rewrite(*pattern, rewrite);
  return reference::map_strings<std::string>(
      request, [pattern, rewrite, all = request.node.attr<bool>("replace_global")](
                   const std::string& text) { return replaced(text, *pattern, rewrite, all); });
}

KernelPtr make_replace(const KernelRequest& request) {
  return make_kernel([count = request.inputs[0].shape.num_elements(),
                      known = constant_pattern(request, 1),
                      all = request.node.attr<bool>("replace_global")](KernelContext& c) {
    const Pattern pattern = known != nullptr ? known : compile(*c.input<std::string>(1));
    const std::string& rewrite = *c.input<std::string>(2);
    check_rewrite(*pattern, rewrite);
    for (int64_t i = 0; i < count; ++i)
      c.output<std::string>()[i] = replaced(c.input<std::string>(0)[i], *pattern, rewrite, all);
  });
}

KernelPtr make_static_match(const KernelRequest& request) {
  const Pattern pattern = compile(request.node.attr<std::string>("pattern"));
  return reference::map_strings<bool>(
      request, [pattern](const std::string& text) { return RE2::FullMatch(text, *pattern); });
}

KernelPtr make_match(const KernelRequest& request) {
  return make_kernel([count = request.inputs[0].shape.num_elements(),
                      known = constant_pattern(request, 1)](KernelContext& c) {
    const Pattern pattern = known != nullptr ? known : compile(*c.input<std::string>(1));
    for (int64_t i = 0; i < count; ++i)
      c.output<bool>()[i] = RE2::FullMatch(c.input<std::string>(0)[i], *pattern);
  });
}

constexpr KernelDef kKernels[] = {
    {"RegexReplace", "reference", make_replace},
    {"StaticRegexReplace", "reference", make_static_replace},
    {"RegexFullMatch", "reference", make_match},
    {"StaticRegexFullMatch", "reference", make_static_match},
};

}  // namespace

std::span<const KernelDef> reference_string_regex_kernels() { return kKernels; }

}  // namespace thalweg
