#include "data/csv_blocks.h"

#include <algorithm>
#include <cstring>

#include "data/fast_numbers.h"
#include "thalweg/base/error.h"
#include "thalweg/base/parallel.h"

namespace thalweg::data {
namespace {

// Threads wait for each other a few times a block, which must cost little beside the work.
constexpr size_t kBlockSize = size_t{4} << 20;  // a thread
// Smaller parts share out better; each has marks of its own.
constexpr size_t kPartSize = size_t{1} << 20;
constexpr size_t kSmallPart = size_t{64} << 10;
// Small files are many.
constexpr size_t kFirstRead = size_t{256} << 10;
constexpr size_t kFront = 32;
static_assert(kFront >= kBytesBeforeNumber);

int64_t count_lines(std::string_view text, char line_end) {
  return std::ranges::count(text, line_end);
}

}  // namespace

int64_t CsvPart::line_of(int64_t row, char line_end) const {
  return first_line + count_lines(text.substr(0, tokens.cell(row, 0).begin), line_end);
}

CsvBlocks::CsvBlocks(const StreamedFile& file, const CsvFormat& format)
    : file_(file),
      format_(format),
      crew_(num_threads()),
      stream_(file.open()),
      line_(format.first_line) {
  read_size_ = kFirstRead;
  most_read_ = kBlockSize * static_cast<size_t>(crew_.threads());
  buffer_.resize(kFront + read_size_ + CsvTokens::kPadding + 1);
  begin_ = end_ = kFront;
  for (uint64_t skipped = 0; skipped < format.begin;) {
    const auto size = std::min<uint64_t>(read_size_, format.begin - skipped);
    const size_t count = stream_->read(buffer_.data(), size);
    if (count == 0) break;
    skipped += count;
  }
}

// Moves what is left to the front and reads on behind it.
void CsvBlocks::fill() {
  const size_t left = end_ - begin_;
  std::memmove(buffer_.data() + kFront, buffer_.data() + begin_, left);
  begin_ = kFront;
  if (left + read_size_ > CsvTokens::kMostBytes) {
    throw invalid_argument(file_.name(), ":", line_, ": this record is longer than ", left,
                           " bytes; is a quote never closed?");
  }
  // One byte more for the line end that the last line may lack.
  buffer_.resize(std::max(buffer_.size(), kFront + left + read_size_ + CsvTokens::kPadding + 1));
  const size_t count = stream_->read(buffer_.data() + kFront + left, read_size_);
  end_ = kFront + left + count;
  if (count == read_size_) {
    read_size_ = std::max(read_size_, std::min(2 * read_size_, most_read_));
    return;
  }
  ended_ = true;
  if (end_ > kFront && buffer_[end_ - 1] != format_.syntax.line_end)
    buffer_[end_++] = format_.syntax.line_end;
}

void CsvBlocks::cut(std::string_view text) {
  const auto threads = static_cast<size_t>(crew_.threads());
  const size_t wanted =
      std::max(text.size() / kPartSize, std::clamp<size_t>(text.size() / kSmallPart, 1, threads));
  std::vector<std::string_view> pieces;
  for (size_t begin = 0, i = 1; begin < text.size(); ++i) {
    size_t end = text.size();
    if (i < wanted) {
      const size_t from = std::max(begin, text.size() * i / wanted);
      const size_t found = text.find(format_.syntax.line_end, from);
      if (found != std::string_view::npos) end = found + 1;
    }
    pieces.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  while (parts_.size() < pieces.size()) parts_.push_back(std::make_unique<CsvPart>());
  crew_.run(std::ssize(pieces), [&](int64_t i) {
    CsvPart& part = *parts_[static_cast<size_t>(i)];
    part.text = pieces[static_cast<size_t>(i)];
    part.tokens.read(part.text, format_.syntax);
  });
  good_.clear();
  for (size_t i = 0; i < pieces.size(); ++i) good_.push_back(parts_[i].get());
}

// Joins parts that were cut inside of a record, and leaves what is no whole record for later.
void CsvBlocks::keep_whole_records(std::string_view text) {
  rows_ = 0;
  size_t used = 0;  // of text
  for (size_t i = 0; i < good_.size(); ++i) {
    CsvPart& part = *parts_[i];
    if (part.text.data() != text.data() + used) {
      const auto end = static_cast<size_t>(part.text.data() - text.data()) + part.text.size();
      part.text = text.substr(used, end - used);
      part.tokens.read(part.text, format_.syntax);
    }
    part.first_line = line_;
    if (part.tokens.fault() != CsvTokens::Fault::kNone) fail(part);
    part.first_row = rows_;
    rows_ += part.tokens.rows();
    used += part.tokens.used();
    line_ += part.tokens.lines() -
             count_lines(part.text.substr(part.tokens.used()), format_.syntax.line_end);
  }
  const CsvPart& last = *parts_[good_.size() - 1];
  if (ended_ && last.tokens.open_quote()) {
    const int64_t line =
        last.first_line +
        count_lines(last.text.substr(0, *last.tokens.open_quote()), format_.syntax.line_end);
    throw invalid_argument(file_.name(), ":", line,
                           ": a quote opens on this line and is never closed");
  }
  begin_ += used;
}

const std::vector<const CsvPart*>& CsvBlocks::next() {
  rows_ = 0;
  good_.clear();
  while (rows_ == 0) {
    if (ended_ && begin_ == end_) {
      good_.clear();
      break;
    }
    const size_t before = end_ - begin_;
    if (!ended_) fill();
    std::string_view text(buffer_.data() + begin_, end_ - begin_);
    if (!ended_) text = text.substr(0, text.rfind(format_.syntax.line_end) + 1);
    if (!text.empty()) {
      cut(text);
      keep_whole_records(text);
    }
    if (ended_) begin_ = end_;
    // Reads more at a time while a record goes on, lest a long one be read again and again.
    if (rows_ == 0 && end_ - begin_ > before) read_size_ = std::max(read_size_, end_ - begin_);
  }
  return good_;
}

void CsvBlocks::fail(const CsvPart& part) const {
  const CsvTokens& tokens = part.tokens;
  const char line_end = format_.syntax.line_end;
  const auto line_at = [&](size_t place) {
    return part.first_line + count_lines(part.text.substr(0, place), line_end);
  };
  const size_t at = tokens.fault_at();
  const auto byte = static_cast<unsigned char>(part.text[at]);
  const std::string where = str(file_.name(), ":", line_at(at));
  switch (tokens.fault()) {
    case CsvTokens::Fault::kCells: {
      const size_t cells = tokens.fault_detail();
      throw invalid_argument(where, ": has ", cells, cells == 1 ? " cell" : " cells", ", expected ",
                             format_.syntax.columns, " as in ", format_.expected, format_.hint);
    }
    case CsvTokens::Fault::kStrayQuote: {
      const int64_t begin = line_at(tokens.fault_detail());
      throw invalid_argument(
          where, ": a quote sign inside a cell",
          begin < line_at(at) ? str(" (the cell begins on line ", begin, ")") : std::string(),
          "; put the whole cell in quotes and write \"\" for a quote sign in it");
    }
    case CsvTokens::Fault::kControl:
      throw invalid_argument(where, ": is no text: it holds a byte of value ", int{byte});
    case CsvTokens::Fault::kNotUtf8:
      throw invalid_argument(where, ": is no UTF-8 text (byte ", int{byte},
                             "); if it is text of an older encoding, convert it (iconv -f "
                             "ISO-8859-1 -t UTF-8)");
    case CsvTokens::Fault::kNone: break;
  }
  throw internal_error(where, ": no fault");
}

}  // namespace thalweg::data
