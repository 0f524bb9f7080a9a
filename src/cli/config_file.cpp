#include "cli/config_file.h"

#include <charconv>
#include <set>

#include "cli/paths.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/printable.h"

namespace thalweg::cli {
namespace {

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

void append_utf8(std::string& text, uint32_t code) {
  const auto byte = [&](uint32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xE0 | code >> 12);
    } else {
      byte(0xF0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3F));
    }
    byte(0x80 | (code >> 6 & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& path) : text_(text), path_(path) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  std::vector<ConfigEntry> parse() {
    if (!is_utf8(text_)) throw fault("the file is no UTF-8 text");
    for (skip_lines(); !at_end(); skip_lines()) {
      if (peek() == '[') {
        read_table();
      } else {
        read_entry();
      }
      end_line();
    }
    return std::move(entries_);
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  template <class... Args>
  Error fault(const Args&... args) const {
    return invalid_argument(path_, ":", line_, ": ", args...);
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  void skip_comment() {
    if (peek() != '#') return;
    while (!at_end() && text_[at_] != '\n') ++at_;
  }
  bool take_line_end() {
    if (text_.substr(at_).starts_with("\r\n")) ++at_;
    if (!take('\n')) return false;
    ++line_;
    return true;
  }
  void skip_lines() {
    do {
      skip_blanks();
      skip_comment();
    } while (take_line_end());
  }
  void end_line() {
    skip_blanks();
    skip_comment();
    if (at_end() || take_line_end()) return;
    throw fault("nothing may follow on this line, but there is '", rest_of_line(), "'");
  }
  std::string rest_of_line() const {
    const std::string_view rest = text_.substr(at_);
    return std::string(rest.substr(0, rest.find_first_of("\r\n")));
  }

  std::string read_key() {
    if (peek() == '"' || peek() == '\'') return read_string();
    const size_t begin = at_;
    while (is_bare(peek())) ++at_;
    if (at_ == begin) {
      throw fault("a key or a [table] is expected, but there is '", rest_of_line(), "'");
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  void read_table() {
    ++at_;
    if (peek() == '[') throw fault("[[arrays of tables]] are not read; write [", "verb]");
    skip_blanks();
    table_ = read_key();
    skip_blanks();
    if (!take(']')) throw fault("']' is expected after [", table_);
    if (!tables_.insert(table_).second) throw fault("the table [", table_, "] stands there twice");
  }

  void read_entry() {
    ConfigEntry entry{.table = table_, .line = line_};
    entry.key = read_key();
    skip_blanks();
    if (peek() == '.') throw fault("'", entry.key, ".': dotted keys are not read");
    if (!take('=')) throw fault("'=' and a value are expected after '", entry.key, "'");
    if (!keys_.insert(table_ + '\n' + entry.key).second) {
      throw fault("'", entry.key, "' stands there twice");
    }
    skip_blanks();
    if (peek() == '[') {
      entry.kind = ConfigEntry::Kind::kList;
      read_list(entry);
    } else {
      read_scalar(entry);
    }
    entries_.push_back(std::move(entry));
  }

  void read_list(ConfigEntry& entry) {
    ++at_;
    for (skip_lines(); !take(']'); skip_lines()) {
      ConfigEntry item{.key = entry.key};
      read_scalar(item);
      entry.values.push_back(item.values[0]);
      skip_lines();
      if (take(',')) continue;
      if (peek() != ']') throw fault("',' or ']' is expected in the list of '", entry.key, "'");
    }
  }

  void read_scalar(ConfigEntry& entry) {
    if (peek() == '"' || peek() == '\'') {
      entry.values = {read_string()};
      return;
    }
    if (peek() == '{') throw fault("'", entry.key, "': tables in values are not read");
    const size_t begin = at_;
    while (!at_end() && std::string_view(" \t\r\n,]#").find(peek()) == std::string_view::npos) {
      ++at_;
    }
    const std::string word(text_.substr(begin, at_ - begin));
    if (word == "true" || word == "false") {
      entry.kind = ConfigEntry::Kind::kBoolean;
      entry.values = {word};
      return;
    }
    entry.kind = ConfigEntry::Kind::kNumber;
    entry.values = {read_number(word, entry.key)};
  }

  std::string read_number(const std::string& word, const std::string& key) const {
    std::string digits;
    for (size_t i = 0; i < word.size(); ++i) {
      const auto is_digit = [&](size_t k) { return k < word.size() && isdigit(word[k]) != 0; };
      if (word[i] == '_' && i > 0 && is_digit(i - 1) && is_digit(i + 1)) continue;
      digits += word[i];
    }
    if (digits.starts_with('+')) digits.erase(0, 1);
    double value = 0;
    const char* end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, value);
    const bool begins_well = !digits.empty() && (isdigit(digits[0]) != 0 || digits[0] == '-');
    if (begins_well && error == std::errc() && rest == end) return digits;
    throw fault("'", key, "': '", word,
                "' is no number, true, false or list; texts stand in quotes: \"", word, "\"");
  }

  std::string read_string() {
    const char quote = peek();
    ++at_;
    if (text_.substr(at_).starts_with(std::string(2, quote))) {
      throw fault("texts of several lines are not read; use \\n");
    }
    std::string result;
    while (true) {
      if (at_end() || peek() == '\n' || peek() == '\r') {
        throw fault("the text that ", quote, " opens is not closed on its line");
      }
      const char c = text_[at_++];
      if (c == quote) return result;
      if (c != '\\' || quote == '\'') {
        result += c;
      } else {
        read_escape(result);
      }
    }
  }

  void read_escape(std::string& result) {
    const char c = peek();
    ++at_;
    constexpr std::string_view kLetters = "btnfr\"\\", kMeanings = "\b\t\n\f\r\"\\";
    if (const size_t place = kLetters.find(c); place != std::string_view::npos) {
      result += kMeanings[place];
      return;
    }
    const size_t length = c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint32_t code = 0;
    const std::string_view digits = text_.substr(std::min(at_, text_.size()), length);
    const auto [rest, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    const bool is_code = length > 0 && digits.size() == length && error == std::errc() &&
                         rest == digits.data() + digits.size() && code < 0x110000 &&
                         (code < 0xD800 || code > 0xDFFF);
    if (!is_code) {
      throw fault(
          "'\\", std::string(1, c),
          "' is no escape of TOML; a backslash itself is written \\\\, or the text in '...'");
    }
    at_ += length;
    append_utf8(result, code);
  }

  std::string_view text_;
  const std::string& path_;
  size_t at_ = 0;
  int line_ = 1;
  std::string table_;
  std::set<std::string> tables_, keys_;
  std::vector<ConfigEntry> entries_;
};

}  // namespace

std::vector<ConfigEntry> parse_config(std::string_view text, const std::string& path) {
  return Parser(text, path).parse();
}

std::vector<ConfigEntry> read_config(const std::string& path) {
  check_regular_file(path);
  return parse_config(read_file(path), path);
}

std::string toml_quoted(std::string_view text) {
  std::string result = "\"";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      append(result,
             str("\\u00", std::string(1, kHex[byte >> 4]), std::string(1, kHex[byte & 15])));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace thalweg::cli
