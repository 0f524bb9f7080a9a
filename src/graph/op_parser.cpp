#include "graph/op_parser.h"

#include <charconv>
#include <cstdlib>

namespace thalweg {
namespace {

// A cursor over one spec; every error names the spec.
class Parser {
 public:
  explicit Parser(std::string_view spec) : spec_(spec) {
    const size_t bar = spec.find(" | ");
    doc_ = bar == std::string_view::npos ? std::string_view() : trim(spec.substr(bar + 3));
    rest_ = trim(spec.substr(0, bar));
  }

  std::string_view doc() const { return doc_; }
  bool at_end() const { return rest_.empty(); }

  void skip_space() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool accept(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(str("expected `", token, "` before `", rest_, "`"));
  }
  std::string word() {
    skip_space();
    size_t n = 0;
    while (n < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '_'))
      ++n;
    if (n == 0) fail(str("expected a name before `", rest_, "`"));
    std::string result(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return result;
  }
  std::string quoted() {
    expect("'");
    const size_t end = rest_.find('\'');
    if (end == std::string_view::npos) fail("a quote does not close");
    std::string result(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return result;
  }
  int64_t integer() {
    skip_space();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail(str("expected an integer before `", rest_, "`"));
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }
  float number() {
    skip_space();
    const std::string text(rest_);
    char* end = nullptr;
    const float value = std::strtof(text.c_str(), &end);
    if (end == text.c_str()) fail(str("expected a number before `", rest_, "`"));
    rest_.remove_prefix(static_cast<size_t>(end - text.c_str()));
    return value;
  }
  bool boolean() {
    if (accept("true")) return true;
    expect("false");
    return false;
  }
  DType dtype() {
    const std::string name = word();
    const DType result = parse_dtype(name);
    if (result == DType::kInvalid) fail(str("`", name, "` is no element type"));
    return result;
  }
  [[noreturn]] void fail(std::string_view why) const {
    throw invalid_argument("op row string `", spec_, "`: ", why);
  }
  std::string_view peek() {
    skip_space();
    return rest_;
  }

 private:
  std::string_view spec_;
  std::string_view doc_;
  std::string_view rest_;
};

const std::vector<DType>& numeric_types() {
  static const std::vector<DType> types = {kFloat32, kFloat64, kInt32,  kUInt8,
                                           kInt16,   kInt8,    kInt64,  kBFloat16,
                                           kUInt16,  kFloat16, kUInt32, kUInt64};
  return types;
}

// {float, double} or {'SAME', 'VALID'}; the opening brace is taken.
void parse_choice(Parser& in, AttrSchema& attr, std::string& kind) {
  while (true) {
    if (in.peek().starts_with('\'')) {
      kind = "string";
      attr.allowed_strings.push_back(in.quoted());
    } else {
      kind = "type";
      attr.allowed_types.push_back(in.dtype());
    }
    if (in.accept("}")) return;
    in.expect(",");
  }
}

std::string parse_kind(Parser& in, AttrSchema& attr) {
  std::string kind;
  if (in.accept("{")) {
    parse_choice(in, attr, kind);
    return kind;
  }
  const std::string name = in.word();
  if (name == "numbertype" || name == "realnumbertype") {
    attr.allowed_types = numeric_types();
    return "type";
  }
  if (name == "list") {
    in.expect("(");
    kind = parse_kind(in, attr);
    in.expect(")");
    return str("list(", kind, ")");
  }
  for (std::string_view known :
       {"int", "float", "bool", "string", "type", "shape", "tensor", "func"}) {
    if (name == known) return name;
  }
  in.fail(str("`", name, "` is no kind of attribute"));
}

template <class T, class F>
std::vector<T> parse_list(Parser& in, F item) {
  std::vector<T> list;
  in.expect("[");
  if (in.accept("]")) return list;
  while (true) {
    list.push_back(item());
    if (in.accept("]")) return list;
    in.expect(",");
  }
}

AttrValue parse_default(Parser& in, std::string_view kind) {
  if (kind == "int") return in.integer();
  if (kind == "float") return in.number();
  if (kind == "bool") return in.boolean();
  if (kind == "string") return in.quoted();
  if (kind == "type") return in.dtype();
  if (kind == "list(int)") return parse_list<int64_t>(in, [&] { return in.integer(); });
  if (kind == "list(float)") return parse_list<float>(in, [&] { return in.number(); });
  if (kind == "list(string)") return parse_list<std::string>(in, [&] { return in.quoted(); });
  if (kind == "list(func)") {
    return parse_list<FunctionName>(in, [&] { return FunctionName{in.quoted()}; });
  }
  if (kind == "func") return FunctionName{in.quoted()};
  if (kind == "list(type)") return parse_list<DType>(in, [&] { return in.dtype(); });
  if (kind == "shape") {
    if (in.accept("{")) {  // TensorFlow's text proto: { unknown_rank: true }
      in.expect("unknown_rank");
      in.expect(":");
      in.expect("true");
      in.expect("}");
      return Shape::unknown();
    }
    return Shape(parse_list<int64_t>(in, [&] { return in.integer(); }));
  }
  if (kind == "list(shape)") {
    return parse_list<Shape>(
        in, [&]() -> Shape { in.fail("only an empty list of shapes can be a default"); });
  }
  if (kind == "tensor") {  // a vector: uint8[2] 255 0
    const DType dtype = in.dtype();
    in.expect("[");
    const int64_t size = in.integer();
    in.expect("]");
    std::vector<int64_t> values;
    while (static_cast<int64_t>(values.size()) < size) values.push_back(in.integer());
    return Tensor::from(std::span<const int64_t>(values), Shape{size}).cast(dtype);
  }
  in.fail(str("an attribute of kind ", kind, " can have no default"));
}

}  // namespace

AttrSchema parse_attr_spec(std::string_view spec) {
  Parser in(spec);
  AttrSchema attr;
  attr.name = in.word();
  attr.doc = in.doc();
  in.expect(":");
  attr.kind = parse_kind(in, attr);
  if (in.accept(">=")) attr.minimum = in.integer();
  if (in.accept("=")) attr.default_value = parse_default(in, attr.kind);
  if (!in.peek().empty()) in.fail(str("`", in.peek(), "` is left over"));
  return attr;
}

ArgSchema parse_arg_spec(std::string_view spec, const std::vector<AttrSchema>& attrs) {
  const auto find = [&](const std::string& name) -> const AttrSchema* {
    for (const AttrSchema& attr : attrs) {
      if (attr.name == name) return &attr;
    }
    return nullptr;
  };
  Parser in(spec);
  ArgSchema arg;
  arg.name = in.word();
  arg.doc = in.doc();
  in.expect(":");
  std::string type = in.word();
  if (in.accept("*")) {
    const AttrSchema* number = find(type);
    if (number == nullptr || number->kind != "int")
      in.fail(str("`", type, "` is no int attribute"));
    arg.number_attr = type;
    type = in.word();
  }
  if (const AttrSchema* attr = find(type)) {
    if (attr->kind == "type") {
      arg.type_attr = type;
    } else if (attr->kind == "list(type)") {
      arg.type_list_attr = type;
    } else {
      in.fail(str("attribute `", type, "` is no type"));
    }
  } else {
    arg.dtype = parse_dtype(type);
    if (arg.dtype == DType::kInvalid)
      in.fail(str("`", type, "` is neither an element type nor an attribute"));
  }
  if (!in.peek().empty()) in.fail(str("`", in.peek(), "` is left over"));
  return arg;
}

}  // namespace thalweg
