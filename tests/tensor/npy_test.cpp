#include "thalweg/tensor/npy.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "testing.h"
#include "thalweg/base/file.h"

namespace thalweg::testing {
namespace {

std::string npy(const std::string& header, const std::string& data) {
  std::string bytes = "\x93NUMPY";
  bytes += {'\x01', '\x00', static_cast<char>(header.size()), '\x00'};
  return bytes + header + data;
}

TEST(Npy, KeepsEveryElementTypeThatNumPyHas) {
  const std::vector<Tensor> tensors = {Tensor::of<float>({1.5f, -2, 0.25f, 4}, {2, 2}),
                                       Tensor::of<double>({3.5}),
                                       Tensor::of<int8_t>({-1, 2}),
                                       Tensor::of<uint16_t>({65535}),
                                       Tensor::of<int64_t>({-9, 9}),
                                       Tensor::of<bool>({true, false}),
                                       Tensor::of<Float16>({Float16(0.5f)}),
                                       Tensor::zeros(kFloat32, {0, 3}),
                                       Tensor(7.0f),
                                       Tensor::of<std::complex<float>>({{1, -2}})};
  for (const Tensor& tensor : tensors) {
    const std::string bytes = encode_npy(tensor);
    EXPECT_EQ(bytes.find('\n') % 64, 63U) << "the data begin at a multiple of 64";
    EXPECT_TRUE(parse_npy(bytes).same_bits(tensor)) << tensor.to_string();
  }
}

TEST(Npy, TurnsBigEndianAndColumnMajorArraysRound) {
  const std::string header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n";
  const std::string data("\x00\x01\x00\x04\x00\x02\x00\x05\x00\x03\x00\x06", 12);
  EXPECT_TRUE(
      parse_npy(npy(header, data)).same_bits(Tensor::of<int16_t>({1, 2, 3, 4, 5, 6}, {2, 3})));
}

TEST(Npy, ReadsByteStringsAndTextAsStrings) {
  const Tensor bytes = parse_npy(npy("{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }\n",
                                     std::string("ab\0xyz", 6)));
  EXPECT_EQ(bytes.data<std::string>()[0], "ab");
  EXPECT_EQ(bytes.data<std::string>()[1], "xyz");
  const Tensor text = parse_npy(npy("{'descr': '<U2', 'fortran_order': False, 'shape': (), }\n",
                                    std::string("\xE9\0\0\0\xAC\x20\0\0", 8)));
  EXPECT_EQ(text.item<std::string>(), "\xC3\xA9\xE2\x82\xAC");  // é€
}

// Zeros inside a text belong to it.
TEST(Npy, FindsTheEndOfTextOnce) {
  constexpr size_t kLength = size_t{1} << 19;
  std::string data(4 * kLength, '\0');
  data[4 * kLength - 4] = 'x';
  const std::string header =
      str("{'descr': '<U", kLength, "', 'fortran_order': False, 'shape': (), }\n");
  const std::string text = parse_npy(npy(header, data)).item<std::string>();
  EXPECT_EQ(text.size(), kLength);
  EXPECT_EQ(text.back(), 'x');
}

TEST(Npy, BoundsStringsThatNeedNoData) {
  for (const char* descr : {"|S0", "<U0"}) {
    const auto array = [&](const std::string& shape) {
      return parse_npy(npy(
          str("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", shape, ", }\n"), ""));
    };
    EXPECT_EQ(array("(3,)").data<std::string>()[2], "");
    expect_error(
        Code::kResourceExhausted, [&] { array("(100000000,)"); }, descr, "empty strings");
  }
}

TEST(Npy, NamesTheFileOfEveryError) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.npy";
  std::ofstream(path, std::ios::binary)
      << npy("{'descr': '|S0', 'fortran_order': False, 'shape': (100000000,), }\n", "");
  expect_error(
      Code::kResourceExhausted, [&] { read_npy(path); }, path);
}

TEST(Npy, RefusesWhatIsNoArrayAndSaysWhy) {
  const auto header = [](const std::string& descr, const std::string& shape) {
    return str("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", shape, ", }\n");
  };
  expect_error(
      Code::kDataLoss, [] { parse_npy("PK\x03\x04"); }, "not an .npy array");
  expect_error(
      Code::kUnimplemented, [&] { parse_npy(npy(header("|O", "(1,)"), "x")); }, "pickled");
  expect_error(
      Code::kUnimplemented, [&] { parse_npy(npy(header("<M8", "(1,)"), "12345678")); }, "<M8");
  expect_error(
      Code::kDataLoss, [&] { parse_npy(npy(header("<f4", "(2,)"), "1234567")); }, "needs 8 bytes",
      "7");
  expect_error(
      Code::kDataLoss, [&] { parse_npy(npy(header("<f4", "(4611686018427387904, 4)"), "1234")); },
      "too large");
  expect_error(
      Code::kDataLoss, [&] { parse_npy(npy("{'descr': '<f4'}\n", "")); }, "fortran_order");
  expect_error(
      Code::kUnimplemented, [] { encode_npy(Tensor("text")); }, "cast");
}

TEST(Npy, SurvivesTruncationAtEveryByte) {
  const std::string whole = encode_npy(Tensor::of<float>({1, 2, 3}));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse_npy(whole.substr(0, size)), Error) << size;
  }
}

TEST(Npz, KeepsArraysUnderTheirNames) {
  const TemporaryFolder folder;
  const std::string path = folder / "arrays.npz";
  write_npz(path, {{"bias", Tensor::of<float>({1, 2})}, {"layer/kernel", Tensor(int64_t{7})}});
  const NpzReader reader(path);
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"bias", "layer/kernel"}));
  EXPECT_TRUE(reader.read("bias").same_bits(Tensor::of<float>({1, 2})));
  EXPECT_TRUE(read_npz(path).at("layer/kernel").same_bits(Tensor(int64_t{7})));
  expect_error(
      Code::kNotFound, [&] { reader.read("bios"); }, "did you mean 'bias'");
}

TEST(Npz, RefusesNamesThatItCannotHold) {
  const TemporaryFolder folder;
  const std::string path = folder / "arrays.npz";
  write_npz(path, {{std::string(65531, 'n'), Tensor(1.0f)}});
  EXPECT_EQ(NpzReader(path).names()[0].size(), 65531u);
  expect_error(
      Code::kInvalidArgument,
      [&] {
        write_npz(path, {{std::string(65532, 'n'), Tensor(1.0f)}});
      },
      "65536 bytes", "at most 65535");
  EXPECT_EQ(NpzReader(path).names()[0].size(), 65531u) << "the old file stays";
}

TEST(Npz, FindsDamageAnywhere) {
  const TemporaryFolder folder;
  const std::string path = folder / "arrays.npz";
  const Tensor array = Tensor::of<int32_t>({1, 2, 3, 4});
  write_npz(path, {{"a", array}});
  const std::string whole = read_file(path);
  for (size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, size);
    EXPECT_THROW(read_npz(path), Error) << size;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    std::ofstream(path, std::ios::binary) << changed;
    try {
      for (const auto& [name, tensor] : read_npz(path)) EXPECT_TRUE(tensor.same_bits(array)) << at;
    } catch (const Error&) {  // as good
    }
  }
}

TEST(Npz, ReadsFilesOfOthersAndRefusesTheirPickles) {
  const char* const data = std::getenv("THALWEG_DATA");
  if (data == nullptr) GTEST_SKIP() << "THALWEG_DATA names no data folder";
  const std::string folder = join_path(data, "npz");
  EXPECT_EQ(read_npy(join_path(folder, "candle_test.npy")).at(9), 9);
  EXPECT_EQ(read_npz(join_path(folder, "candle_test.npz")).at("x_plus_one").at(9), 10);
  // Deflated members.
  EXPECT_EQ(read_npz(join_path(folder, "skimage_chessboard_RGB_U8.npz")).at("arr_0").shape(),
            (Shape{200, 200, 3}));
  for (const std::string& name : list_folder(folder)) {
    if (name.ends_with(".npy")) {
      EXPECT_TRUE(read_npy(join_path(folder, name)).is_valid()) << name;
    }
    if (!name.ends_with(".npz")) continue;
    const NpzReader reader(join_path(folder, name));
    for (const std::string& array : reader.names()) {
      try {
        EXPECT_TRUE(reader.read(array).is_valid());
      } catch (const Error& error) {
        EXPECT_EQ(name, "statsmodels_vars_results.npz") << error.message();
        EXPECT_EQ(error.code(), Code::kUnimplemented) << error.message();
      }
    }
  }
}

}  // namespace
}  // namespace thalweg::testing
