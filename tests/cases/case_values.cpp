#include <charconv>
#include <complex>
#include <cstdlib>

#include "cases/case_file.h"

namespace thalweg::testing {
namespace {

// Words separated by white space; a quoted string is one word, quotes kept.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  size_t i = 0;
  while (true) {
    while (i < text.size() && std::isspace(static_cast<unsigned char>(text[i]))) ++i;
    if (i == text.size()) return words;
    const size_t begin = i;
    if (text[i] == '"') {
      ++i;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      if (i >= text.size()) throw invalid_argument("a quote does not close in `", text, "`");
      ++i;
    } else {
      while (i < text.size() && !std::isspace(static_cast<unsigned char>(text[i]))) ++i;
    }
    words.emplace_back(text.substr(begin, i - begin));
  }
}

std::string unquote(std::string_view word) {
  if (word.size() < 2 || word.front() != '"' || word.back() != '"') {
    throw invalid_argument("expected a quoted string, got `", word, "`");
  }
  std::string result;
  for (size_t i = 1; i + 1 < word.size(); ++i) {
    if (word[i] == '\\' && i + 2 < word.size()) {
      ++i;
      unsigned byte = 0;
      if (word[i] == 'x' && i + 3 < word.size() &&
          std::from_chars(&word[i + 1], &word[i + 3], byte, 16).ptr == &word[i + 3]) {
        result += static_cast<char>(byte);
        i += 2;
        continue;
      }
      result += word[i] == 'n' ? '\n' : word[i] == 't' ? '\t' : word[i];
    } else {
      result += word[i];
    }
  }
  return result;
}

// The whole word as T, or nothing.
template <class T>
std::optional<T> read_integer(std::string_view word) {
  T value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || word.empty()) return std::nullopt;
  return value;
}

template <class T>
std::optional<T> read_real(const std::string& word) {
  char* end = nullptr;
  T value = 0;
  if constexpr (std::is_same_v<T, float>) {
    value = std::strtof(word.c_str(), &end);
  } else {
    value = std::strtod(word.c_str(), &end);
  }
  if (word.empty() || end != word.c_str() + word.size()) return std::nullopt;
  return value;
}

template <class T>
T required(std::optional<T> value, std::string_view word, DType dtype) {
  if (!value) throw invalid_argument("`", word, "` is no ", dtype);
  return *value;
}

// "1", "1+2j", "-1.5e-3-infj" or "2j": where the imaginary part begins is the last sign that is no
// exponent's.
template <class T>
std::optional<std::complex<T>> read_complex(const std::string& word) {
  if (word.empty() || word.back() != 'j') {
    const auto real = read_real<T>(word);
    return real ? std::optional<std::complex<T>>(*real) : std::nullopt;
  }
  size_t sign = word.find_last_of("+-");
  while (sign != std::string::npos && sign > 0 && (word[sign - 1] == 'e' || word[sign - 1] == 'E'))
    sign = word.find_last_of("+-", sign - 1);
  if (sign == std::string::npos) sign = 0;
  const auto real = sign == 0 ? std::optional<T>(0) : read_real<T>(word.substr(0, sign));
  const auto imaginary = read_real<T>(word.substr(sign, word.size() - 1 - sign));
  if (!real || !imaginary) return std::nullopt;
  return std::complex<T>(*real, *imaginary);
}

template <class T>
inline constexpr bool kIsQuantized = false;
template <class T>
inline constexpr bool kIsQuantized<Quantized<T>> = true;

template <class T>
T read_element(const std::string& word) {
  constexpr DType kType = kDTypeOf<T>;
  if constexpr (std::is_same_v<T, std::string>) {
    return unquote(word);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (word != "true" && word != "false")
      throw invalid_argument("`", word, "` is neither true nor false");
    return word == "true";
  } else if constexpr (std::is_integral_v<T>) {
    return required(read_integer<T>(word), word, kType);
  } else if constexpr (std::is_same_v<T, double>) {
    return required(read_real<double>(word), word, kType);
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    return required(read_complex<typename T::value_type>(word), word, kType);
  } else if constexpr (kIsQuantized<T>) {
    return T{required(read_integer<decltype(T::value)>(word), word, kType)};
  } else {
    return T(required(read_real<float>(word), word, kType));
  }
}

Shape read_shape(std::string_view dims) {
  std::vector<int64_t> result;
  for (const std::string& dim : split(dims, ',')) {
    if (trim(dim) == "?") {
      result.push_back(kUnknownDim);
      continue;
    }
    const auto value = read_integer<int64_t>(trim(dim));
    if (!value) throw invalid_argument("`", dim, "` is no dimension");
    result.push_back(*value);
  }
  return Shape(result);
}

// The items of "[a, b]"; nothing when it is no list. Commas in quotes or inner brackets part
// nothing.
std::optional<std::vector<std::string>> list_items(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  std::vector<std::string> items;
  std::string item;
  bool quoted = false;
  int depth = 0;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' && !quoted && depth == 0) {
      items.emplace_back(trim(item));
      item.clear();
      continue;
    }
    item += c;
    if (quoted && c == '\\') item += text[++i];
    if (c == '"') quoted = !quoted;
    if (!quoted) depth += c == '[' ? 1 : c == ']' ? -1 : 0;
  }
  if (!items.empty() || !trim(item).empty()) items.emplace_back(trim(item));
  return items;
}

bool is_tensor_text(std::string_view text) {
  const size_t bracket = text.find('[');
  return bracket != std::string_view::npos && bracket > 0 &&
         parse_dtype(text.substr(0, bracket)) != kInvalid;
}

// A value from what the text looks like.
AttrValue guess_attr(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (text.starts_with('"')) return unquote(text);
  if (const auto number = read_integer<int64_t>(text)) return *number;
  if (const auto number = read_real<float>(std::string(text))) return *number;
  if (is_tensor_text(text)) return parse_case_tensor(text);
  if (const DType dtype = parse_dtype(text); dtype != kInvalid) return dtype;
  if (const auto items = list_items(text)) {
    std::vector<int64_t> ints;
    for (const std::string& item : *items) {
      if (const auto number = read_integer<int64_t>(item)) ints.push_back(*number);
    }
    if (ints.size() == items->size()) return ints;
  }
  throw invalid_argument("`", text, "` is no value of an attribute");
}

template <class T>
AttrValue guess_list(std::string_view text) {
  std::vector<T> list;
  for (const std::string& item :
       list_items(text).value_or(std::vector<std::string>{std::string(text)})) {
    const AttrValue value = guess_attr(item);
    if constexpr (std::is_same_v<T, float>) {
      if (const auto* whole = std::get_if<int64_t>(&value)) {
        list.push_back(static_cast<float>(*whole));
        continue;
      }
    }
    const T* element = std::get_if<T>(&value);
    if (element == nullptr)
      throw invalid_argument("`", item, "` does not fit into the list ", text);
    list.push_back(*element);
  }
  return list;
}

}  // namespace

Tensor parse_case_tensor(std::string_view text) {
  text = trim(text);
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    throw invalid_argument("expected a tensor such as float32[2] 1 2, got `", text, "`");
  }
  const DType dtype = parse_dtype(trim(text.substr(0, open)));
  if (dtype == kInvalid) throw invalid_argument("`", text.substr(0, open), "` is no element type");
  Tensor tensor(dtype, read_shape(text.substr(open + 1, close - open - 1)));
  const std::vector<std::string> words = words_of(text.substr(close + 1));
  if (static_cast<int64_t>(words.size()) != tensor.num_elements()) {
    throw invalid_argument("shape ", tensor.shape(), " has ", tensor.num_elements(),
                           " elements, got ", words.size());
  }
  visit_element(dtype, [&]<class T>(TypeTag<T>) {
    const auto out = tensor.mutable_data<T>();
    for (size_t i = 0; i < words.size(); ++i) out[i] = read_element<T>(words[i]);
  });
  return tensor;
}

AttrValue parse_case_attr(std::string_view kind, std::string_view text) {
  text = trim(text);
  if (kind == "shape") {
    if (text == "?") return Shape::unknown();
    if (text.starts_with('[') && text.ends_with(']'))
      return read_shape(text.substr(1, text.size() - 2));
  }
  if (kind == "float") {
    if (const auto value = read_real<float>(std::string(text))) return *value;
  }
  if (kind == "list(int)") return guess_list<int64_t>(text);
  if (kind == "list(float)") return guess_list<float>(text);
  if (kind == "list(bool)") return guess_list<bool>(text);
  if (kind == "list(string)") return guess_list<std::string>(text);
  if (kind == "list(type)") return guess_list<DType>(text);
  if (kind == "list(shape)") {
    std::vector<Shape> shapes;
    for (const std::string& item : list_items(text).value_or(std::vector<std::string>{}))
      shapes.push_back(std::get<Shape>(parse_case_attr("shape", item)));
    return shapes;
  }
  return guess_attr(text);
}

}  // namespace thalweg::testing
