# A room is an OBJECT library that links only the rooms named under USES, so that CMake itself refuses a cycle.
#
#   thalweg_room(graph SOURCES graph.cpp shape_context.cpp USES tensor [PRIVATE ZLIB::ZLIB])
#
# SOURCES are relative to src/<room>; third-party libraries go under PRIVATE and never reach a public header.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# What the shared library shows is decided by cmake/thalweg.map, not by attributes in headers.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# A room finds its own libraries; whoever links the room needs their targets too.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)
find_package(OpenMP REQUIRED COMPONENTS CXX)

add_library(thalweg_flags INTERFACE)
target_compile_options(thalweg_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # False alarms of GCC 12 in std::string (GCC bugs 105329 and 105651).
  target_compile_options(thalweg_flags INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(THALWEG_SANITIZE)
  target_compile_options(thalweg_flags INTERFACE -fsanitize=${THALWEG_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(thalweg_flags INTERFACE -fsanitize=${THALWEG_SANITIZE})
endif()

if(THALWEG_FUZZ)
  target_compile_options(thalweg_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(thalweg_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;PRIVATE" ${ARGN})
  add_library(thalweg_${name} OBJECT ${ROOM_SOURCES})
  target_include_directories(thalweg_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(thalweg_${name} PRIVATE thalweg_flags ${ROOM_PRIVATE})
  foreach(use IN LISTS ROOM_USES)
    target_link_libraries(thalweg_${name} PUBLIC thalweg_${use})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY THALWEG_ROOMS ${name})
  set_property(GLOBAL PROPERTY THALWEG_${name}_USES ${ROOM_USES})
  set_property(GLOBAL PROPERTY THALWEG_${name}_PRIVATE ${ROOM_PRIVATE})
endfunction()

# Links the given rooms and all that they use into `target`. CMake hands on the include folders of OBJECT libraries, but
# not their objects, so these are collected here. Third-party libraries are linked, their flags and headers stay private.
function(thalweg_link_rooms target)
  set(open ${ARGN})
  set(closed "")
  while(open)
    list(POP_FRONT open room)
    if(room IN_LIST closed)
      continue()
    endif()
    list(APPEND closed ${room})
    get_property(uses GLOBAL PROPERTY THALWEG_${room}_USES)
    get_property(libraries GLOBAL PROPERTY THALWEG_${room}_PRIVATE)
    list(APPEND open ${uses})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:thalweg_${room}>)
    foreach(library IN LISTS libraries)
      target_link_libraries(${target} PRIVATE $<LINK_ONLY:${library}>)
    endforeach()
  endwhile()
endfunction()
