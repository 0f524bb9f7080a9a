// How many columns text takes on a terminal, so that a line can be cut to the window.
#pragma once

#include <string_view>

namespace thalweg::train {

/// Columns of UTF-8 text: wide characters (East Asian, emoji) two, combining marks none.
int display_width(std::string_view text);
/// The longest beginning that takes at most `columns` columns; characters stay whole.
std::string_view fit_columns(std::string_view text, int columns);

}  // namespace thalweg::train
