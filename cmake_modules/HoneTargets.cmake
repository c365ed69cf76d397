# How a target of this project is declared. One library per second-level folder, explicit sources:
#
#   hone_library(hone_stats SOURCES signed_rank.cc ... LINK hone_base)
#   hone_program(honed SOURCES main.cc LINK hone_api)
#   hone_test(stats_test SOURCES signed_rank_test.cc LINK hone_stats)

add_library(hone_settings INTERFACE)
target_compile_features(hone_settings INTERFACE cxx_std_20)
target_include_directories(hone_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(
  hone_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
                          -Woverloaded-virtual -Wconversion -Wno-sign-conversion)
target_compile_definitions(
  hone_settings INTERFACE BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
                          BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)

option(HONE_WERROR "Warnings are errors" OFF)
if(HONE_WERROR)
  target_compile_options(hone_settings INTERFACE -Werror)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Programs find the launcher, the plugin and each other next to themselves.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

include(HonePrecompiled)

# Whose precompiled headers a target uses: PRECOMPILE <header>... its own, ASYNC those with Asio's
# coroutines, else those with the standard library and JSON.
function(hone_choose_headers name prefix async own)
  if(own)
    hone_precompile(${name} ${own})
  elseif(async)
    target_precompile_headers(${name} REUSE_FROM ${prefix}_async_headers)
  else()
    target_precompile_headers(${name} REUSE_FROM ${prefix}_headers)
  endif()
endfunction()

function(hone_library name)
  cmake_parse_arguments(arg "ASYNC" "" "SOURCES;LINK;PRIVATE_LINK;PRECOMPILE" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC hone_settings ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})
  hone_choose_headers(${name} hone "${arg_ASYNC}" "${arg_PRECOMPILE}")
endfunction()

function(hone_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE hone_settings ${arg_LINK})
endfunction()

function(hone_test name)
  cmake_parse_arguments(arg "ASYNC" "TIMEOUT" "SOURCES;LINK;LABELS;DEPENDS;PRECOMPILE" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE hone_settings ${arg_LINK} GTest::gmock GTest::gtest
                                        GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_compile_definitions(${name} PRIVATE HONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             HONE_BINARY_DIR="${PROJECT_BINARY_DIR}"
                                             $<$<BOOL:${HONE_SANITIZER}>:HONE_SANITIZED>)
  # What a test calls is optimised; the test itself costs more to optimise than it saves.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Debug>:-O0>)
  hone_choose_headers(${name} hone_test "${arg_ASYNC}" "${arg_PRECOMPILE}")
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
  # One process per program, not per case: a case is milliseconds, a start is more.
  add_test(NAME ${name} COMMAND ${name})
  # Those with the longest limit first, so that none is left running alone at the end.
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} COST ${arg_TIMEOUT}
                                          LABELS "${arg_LABELS}")
endfunction()
