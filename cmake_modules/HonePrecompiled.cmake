# Headers that are slow to read, parsed once for all libraries and once for all tests. Files still
# include what they use: the preset gcc builds without precompiled headers.

function(hone_precompile name)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Equal headers give an equal file, so that ccache can be used in front.
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# What most files include. Nothing here may ask for a library at link time: hone-cc has none.
set(HONE_HEADERS
    <algorithm>
    <chrono>
    <filesystem>
    <fmt/format.h>
    <functional>
    <map>
    <memory>
    <nlohmann/json.hpp>
    <optional>
    <set>
    <span>
    <string>
    <thread>
    <variant>
    <vector>)
# Beyond these, for what links hone_net.
set(HONE_ASYNC_HEADERS
    ${HONE_HEADERS}
    <boost/asio/as_tuple.hpp>
    <boost/asio/awaitable.hpp>
    <boost/asio/co_spawn.hpp>
    <boost/asio/experimental/awaitable_operators.hpp>
    <boost/asio/io_context.hpp>
    <boost/asio/steady_timer.hpp>
    <boost/asio/use_awaitable.hpp>)

# Targets that own the precompiled headers the others reuse.
foreach(kind headers async_headers)
  add_library(hone_${kind} OBJECT ${PROJECT_SOURCE_DIR}/cmake_modules/headers.cc)
  if(HONE_BUILD_TESTS)
    # A program, as tests are: position-independent code differs between programs and libraries.
    add_executable(hone_test_${kind} ${PROJECT_SOURCE_DIR}/cmake_modules/headers.cc)
    target_link_libraries(hone_test_${kind} PRIVATE Threads::Threads GTest::gmock GTest::gtest
                                                    GTest::gtest_main)
    target_compile_options(hone_test_${kind} PRIVATE $<$<CONFIG:Debug>:-O0>)
    set_target_properties(hone_test_${kind} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                       ${PROJECT_BINARY_DIR}/tests)
  endif()
endforeach()
hone_precompile(hone_headers ${HONE_HEADERS})
hone_precompile(hone_async_headers ${HONE_ASYNC_HEADERS})
if(HONE_BUILD_TESTS)
  hone_precompile(hone_test_headers ${HONE_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
  hone_precompile(hone_test_async_headers ${HONE_ASYNC_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
  target_link_libraries(hone_test_async_headers PRIVATE hone_net)
endif()
foreach(target hone_headers hone_async_headers hone_test_headers hone_test_async_headers)
  if(TARGET ${target})
    target_link_libraries(${target} PRIVATE hone_settings)
    target_compile_definitions(${target} PRIVATE JSON_USE_IMPLICIT_CONVERSIONS=0)
  endif()
endforeach()
