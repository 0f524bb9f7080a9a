#include "thalweg/graph/attr.h"

namespace thalweg {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

std::string_view attr_kind(const AttrValue& value) {
  static constexpr std::string_view kNames[] = {
      "int",          "float",      "bool",        "string",      "type",
      "shape",        "tensor",     "list(int)",   "list(float)", "list(bool)",
      "list(string)", "list(type)", "list(shape)", "func",        "list(func)"};
  static_assert(std::variant_size_v<AttrValue> == std::size(kNames));
  return kNames[value.index()];
}

std::string to_string(const AttrValue& value) {
  return std::visit(Overloaded{
                        [](const std::string& text) { return str('"', text, '"'); },
                        [](const Tensor& tensor) { return tensor.to_string(4); },
                        [](const std::vector<bool>& list) {
                          std::vector<std::string> words;
                          for (bool b : list) words.emplace_back(b ? "true" : "false");
                          return str(words);
                        },
                        [](const auto& other) { return str(other); },
                    },
                    value);
}

bool same_attr(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* tensor = std::get_if<Tensor>(&a)) return tensor->same_bits(std::get<Tensor>(b));
  return std::visit(
      [&b](const auto& left) {
        using T = std::decay_t<decltype(left)>;
        if constexpr (std::is_same_v<T, Tensor>) {
          return false;
        } else {
          return left == std::get<T>(b);
        }
      },
      a);
}

}  // namespace thalweg
