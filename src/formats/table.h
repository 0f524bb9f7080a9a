// The edge to LevelDB: its sorted table file, which is the index of a checkpoint.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace thalweg {

/// What every table ends with.
inline constexpr std::string_view kTableMagic("\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);

/// The bytes of a table of these entries, uncompressed.
std::string encode_table(const std::map<std::string, std::string, std::less<>>& entries);

/// Calls `visit(key, value)` for each entry in order, checksums verified; blocks may be
/// Snappy-compressed. Throws data_loss saying what is wrong.
void read_table(const std::string& bytes,
                const std::function<void(std::string_view key, std::string_view value)>& visit);

}  // namespace thalweg
