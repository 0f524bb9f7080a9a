# The library that users link: all rooms in one, as libthalweg.a and libthalweg.so from the same objects, with a CMake
# package (thalweg::core) and a pkg-config file.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY THALWEG_ROOMS)
list(REMOVE_ITEM rooms cli)  # the program, not the library

file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/thalweg/*.h)

function(thalweg_library target kind)
  add_library(${target} ${kind})
  thalweg_link_rooms(${target} ${rooms})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${public_headers})
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME thalweg VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  if(THALWEG_SANITIZE)
    target_link_options(${target} PUBLIC -fsanitize=${THALWEG_SANITIZE})
  endif()
endfunction()

thalweg_library(thalweg_static STATIC)
set_target_properties(thalweg_static PROPERTIES EXPORT_NAME static)
add_library(thalweg::core ALIAS thalweg_static)

thalweg_library(thalweg_shared SHARED)
set_target_properties(thalweg_shared PROPERTIES EXPORT_NAME shared)
# Only our own namespace is to be seen from outside.
target_link_options(thalweg_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/thalweg.map)
set_property(TARGET thalweg_shared APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/thalweg.map)

# `ninja all_verify_interface_header_sets` compiles each public header alone.
set_target_properties(thalweg_static PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/thalweg)
install(TARGETS thalweg_static thalweg_shared EXPORT thalwegTargets FILE_SET HEADERS)
install(EXPORT thalwegTargets NAMESPACE thalweg:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/thalwegConfig.cmake.in
  ${PROJECT_BINARY_DIR}/thalwegConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/thalwegConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/thalwegConfig.cmake ${PROJECT_BINARY_DIR}/thalwegConfigVersion.cmake
  DESTINATION ${package_folder})

if(XGBOOST_LIBRARY AND XGBOOST_INCLUDE_DIR)
  set(THALWEG_PC_XGBOOST " -lxgboost")
endif()
file(RELATIVE_PATH THALWEG_PC_PREFIX
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/thalweg.pc.in ${PROJECT_BINARY_DIR}/thalweg.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/thalweg.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
