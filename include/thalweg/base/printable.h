// Texts of files on a terminal: a name, a label or a cell may hold bytes that move the cursor, or
// that are no text at all.
#pragma once

#include <string>
#include <string_view>

namespace thalweg {

/// Whether the bytes are UTF-8 as RFC 3629 has it: no surrogates, nothing longer than needed.
bool is_utf8(std::string_view bytes);

/// `text` with control characters and bytes that are no UTF-8 written out: "\n", "\t", "\x1b",
/// "\xff"; characters U+0080 to U+009F and those that turn the direction of writing as "\u009b".
/// All else stays, backslashes too: the result is for eyes.
std::string printable(std::string_view text);

/// The same, but line ends stay: for a text of several lines.
std::string printable_lines(std::string_view text);

}  // namespace thalweg
