#include "staging/runner/written_output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/sha256.h"

namespace hone {

std::string describe(const WrittenOutput& output) {
  switch (output.kind) {
    case OutputKind::standard_output:
      return "standard output";
    case OutputKind::standard_error:
      return "standard error";
    case OutputKind::file:
      break;
  }
  return "file '" + output.name + "'";
}

Result<std::size_t> KeptText::take(std::uint64_t bytes) {
  if (all_ && bytes > room_) {
    return fail(ErrorCode::too_large,
                "wrote more than the 64 MiB that can be compared with a tolerance");
  }
  const auto part = static_cast<std::size_t>(std::min<std::uint64_t>({bytes, room_, of_each_}));
  room_ -= part;
  return part;
}

Result<WrittenOutput> read_written(OutputKind kind, std::string name, int file, std::uint64_t bytes,
                                   KeptText& kept) {
  WrittenOutput output;
  output.kind = kind;
  output.name = std::move(name);
  HONE_TRY(const std::size_t keep, kept.take(bytes));
  Sha256 hash;
  char piece[65536];
  while (true) {
    const ssize_t got = read(file, piece, sizeof piece);
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      return system_error("cannot read " + describe(output), errno);
    }
    if (got == 0) {
      break;
    }
    const std::string_view part(piece, static_cast<std::size_t>(got));
    output.bytes += part.size();
    if (output.bytes > bytes) {
      return fail(ErrorCode::too_large, "still writes to " + describe(output));
    }
    hash.update(part);
    output.text += part.substr(0, keep - output.text.size());
  }
  output.sha256 = hash.finish();
  return output;
}

Result<WrittenOutput> written_text(OutputKind kind, const std::string& text, KeptText& kept) {
  WrittenOutput output;
  output.kind = kind;
  output.bytes = text.size();
  HONE_TRY(const std::size_t keep, kept.take(text.size()));
  output.text = text.substr(0, keep);
  output.sha256 = sha256_hex(text);
  return output;
}

}  // namespace hone
