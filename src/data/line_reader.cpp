#include "data/line_reader.h"

#include <algorithm>

namespace thalweg::data {

bool LineReader::next(std::string_view& line) {
  constexpr size_t kPiece = size_t{256} << 10;
  size_t searched = used_;
  while (true) {
    const size_t end = held_.find('\n', searched);
    if (end != std::string::npos || (ended_ && used_ < held_.size())) {
      const size_t last = end == std::string::npos ? held_.size() : end;
      line = std::string_view(held_).substr(used_, last - used_);
      if (line.ends_with('\r')) line.remove_suffix(1);
      used_ = end == std::string::npos ? held_.size() : end + 1;
      ++number_;
      return true;
    }
    if (ended_) return false;
    held_.erase(0, used_);
    used_ = 0;
    searched = held_.size();
    held_.resize(searched + std::max(kPiece, searched));
    const size_t wanted = held_.size() - searched;
    const size_t count = stream_->read(held_.data() + searched, wanted);
    held_.resize(searched + count);
    ended_ = count < wanted;
  }
}

}  // namespace thalweg::data
