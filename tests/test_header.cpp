// Empty: CMake builds the precompiled gtest header along with a source file.
