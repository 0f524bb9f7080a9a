// Protobuf messages from and to files of others: limits on what they may hold, the text form, and
// bytes that are the same every time.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

namespace thalweg {

/// Messages may stand in each other so deep: enough for every honest file.
inline constexpr int kMessageDepth = 100;

/// Throws data_loss: "`what` cannot be read: ...". Bytes beyond protobuf's 2 GiB are refused.
void parse_message(std::string_view bytes, std::string_view what,
                   google::protobuf::Message& message);
/// The same for protobuf's text form; fields that are not known are passed over. The error names
/// line and column.
void parse_message_text(std::string_view text, std::string_view what,
                        google::protobuf::Message& message);
/// Whether a file with this content is text rather than a binary message of TensorFlow's.
bool looks_like_text(std::string_view content);

/// The same bytes for the same message: maps are written sorted. Throws invalid_argument when it
/// passes 2 GiB: `what` and `remedy` are said.
std::string encode_message(const google::protobuf::Message& message, std::string_view what,
                           std::string_view remedy);
std::string encode_message_text(const google::protobuf::Message& message);

}  // namespace thalweg
