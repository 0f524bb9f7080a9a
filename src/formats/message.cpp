#include "formats/message.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <limits>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

constexpr size_t kLargest = std::numeric_limits<int32_t>::max();

// Keeps the first error; without a collector protobuf would write to stderr.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = str("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  void AddWarning(int, int, const std::string&) override {}

  std::string text;
};

void check_size(size_t size, std::string_view what) {
  if (size > kLargest) {
    throw data_loss(what, " cannot be read: it has ", size,
                    " bytes, more than the 2 GiB that a message may have");
  }
}

}  // namespace

void parse_message(std::string_view bytes, std::string_view what,
                   google::protobuf::Message& message) {
  check_size(bytes.size(), what);
  const google::protobuf::LogSilencer quiet;  // the error says it
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kMessageDepth);
  if (!message.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    throw data_loss(what, " cannot be read: its ", bytes.size(),
                    " bytes are no whole message of that kind; is the file cut short, or another "
                    "format?");
  }
}

void parse_message_text(std::string_view text, std::string_view what,
                        google::protobuf::Message& message) {
  check_size(text.size(), what);
  const google::protobuf::LogSilencer quiet;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.AllowUnknownField(true);
  parser.AllowUnknownExtension(true);
  parser.SetRecursionLimit(kMessageDepth);
  parser.RecordErrorsTo(&error);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&stream, &message)) {
    throw data_loss(what, " cannot be read as text: ",
                    error.text.empty() ? "it is no text of that kind" : error.text);
  }
}

bool looks_like_text(std::string_view content) {
  // A binary GraphDef or SavedModel begins with a tag below 0x20 or holds bytes that no text has;
  // a line feed is the tag of field 1, so the first bytes as a whole decide.
  const std::string_view head = content.substr(0, 512);
  if (head.empty()) return false;
  return std::all_of(head.begin(), head.end(),
                     [](char c) {
                       const auto byte = static_cast<unsigned char>(c);
                       return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t';
                     }) &&
         head.find_first_of(":{") != std::string_view::npos;
}

std::string encode_message(const google::protobuf::Message& message, std::string_view what,
                           std::string_view remedy) {
  const size_t size = message.ByteSizeLong();
  if (size > kLargest) {
    throw invalid_argument(what, " takes ", size, " bytes, more than the 2 GiB allowed: ", remedy);
  }
  // Attributes are a map: only asking for it gives them a fixed order.
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

std::string encode_message_text(const google::protobuf::Message& message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetExpandAny(true);
  std::string text;
  printer.PrintToString(message, &text);  // prints maps sorted
  return text;
}

}  // namespace thalweg
