# Hone in a CMake build: compiles a target's C and C++ sources through hone-cc.
#
#   list(APPEND CMAKE_MODULE_PATH <prefix>/share/hone/cmake)   # or include() with a path
#   include(Hone)
#   hone_enable(my_target [my_other_target ...] [POLICY file] [ROOT dir] [DECISIONS dir])
#   hone_enable_all([POLICY file] [ROOT dir])
#   hone_report()
#
# Works with the Ninja and Makefile generators, for clang; other compilers are compiled plain. A
# launcher that is set already (ccache) stays, behind hone-cc. Without hone-cc on this machine, or
# with HONE=OFF, everything here does nothing but say so: the project builds as before.
#
#   POLICY     index or decision file (`hone policy pull`, `hone policy compile`); default: the
#              variable HONE_POLICY, else the environment's. It need not exist yet.
#   ROOT       folder that the policy's sources are relative to; default CMAKE_SOURCE_DIR
#   DECISIONS  folder with one decision file a source; default <POLICY>.decisions if it exists.
#              Objects depend on them: a new policy rebuilds exactly those whose decision changed.
#
# Variables: HONE (ON), HONE_CC (found beside this file's installation, then in PATH), HONE_POLICY,
# HONE_STATE_DIR (default <build>/.hone: log, failure counts).
include_guard(GLOBAL)

option(HONE "Compile with tuned pass pipelines where a policy says so" ON)
find_program(
  HONE_CC hone-cc
  HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin ${CMAKE_CURRENT_LIST_DIR}/../build/release/bin
  DOC "Hone's compiler launcher")
set(HONE_POLICY "$ENV{HONE_POLICY}" CACHE FILEPATH "Index of the policy in use")
set(HONE_STATE_DIR "${CMAKE_BINARY_DIR}/.hone" CACHE PATH "Log and notes of this build tree")

# Sets launcher_variable to hone-cc with its flags, or to nothing if Hone is not in use. Flags rather
# than variables: no `cmake -E env` stands before each compile.
function(_hone_launcher policy root launcher_variable)
  set(${launcher_variable} "" PARENT_SCOPE)
  if(NOT HONE)
    return()
  endif()
  if(NOT HONE_CC)
    message(STATUS "Hone: no hone-cc found, compiling plain (set HONE_CC)")
    return()
  endif()
  if(NOT policy)
    message(STATUS "Hone: no policy named, compiling plain (set HONE_POLICY)")
    return()
  endif()
  get_filename_component(policy "${policy}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
  get_filename_component(root "${root}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
  set(${launcher_variable} "${HONE_CC};--policy=${policy};--root=${root};--state-dir=${HONE_STATE_DIR}"
      PARENT_SCOPE)
endfunction()

# Lets the objects of a target depend on the decision files of its sources.
function(_hone_depend_on_decisions target decisions root)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  if(NOT sources)
    return()
  endif()
  foreach(source IN LISTS sources)
    if(source MATCHES "\\$<")
      continue() # known at generation only
    endif()
    get_filename_component(absolute "${source}" ABSOLUTE BASE_DIR "${folder}")
    file(RELATIVE_PATH name "${root}" "${absolute}")
    set(decision "${decisions}/${name}.hone")
    if(NOT name MATCHES "^\\.\\./" AND EXISTS "${decision}")
      set_property(SOURCE "${absolute}" TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS
                                                                                 "${decision}")
    endif()
  endforeach()
endfunction()

# Tunes the named targets.
function(hone_enable)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "POLICY;ROOT;DECISIONS" "")
  if(NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hone_enable: no target is named")
  endif()
  if(NOT arg_POLICY)
    set(arg_POLICY "${HONE_POLICY}")
  endif()
  if(NOT arg_ROOT)
    set(arg_ROOT "${CMAKE_SOURCE_DIR}")
  endif()
  _hone_launcher("${arg_POLICY}" "${arg_ROOT}" launcher)
  foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "hone_enable: there is no target ${target}")
    endif()
    if(NOT launcher)
      continue()
    endif()
    foreach(language C CXX)
      get_target_property(own ${target} ${language}_COMPILER_LAUNCHER)
      if(NOT own)
        set(own "")
      endif()
      if(NOT own MATCHES "hone-cc")
        set_property(TARGET ${target} PROPERTY ${language}_COMPILER_LAUNCHER ${launcher} ${own})
      endif()
    endforeach()
    if(NOT arg_DECISIONS)
      get_filename_component(policy "${arg_POLICY}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
      set(arg_DECISIONS "${policy}.decisions")
    endif()
    if(IS_DIRECTORY "${arg_DECISIONS}")
      _hone_depend_on_decisions(${target} "${arg_DECISIONS}" "${arg_ROOT}")
    endif()
  endforeach()
endfunction()

# Tunes every target that is added after this call, in this folder and below.
macro(hone_enable_all)
  cmake_parse_arguments(_hone "" "POLICY;ROOT" "" ${ARGN})
  if(NOT _hone_POLICY)
    set(_hone_POLICY "${HONE_POLICY}")
  endif()
  if(NOT _hone_ROOT)
    set(_hone_ROOT "${CMAKE_SOURCE_DIR}")
  endif()
  _hone_launcher("${_hone_POLICY}" "${_hone_ROOT}" _hone_command)
  if(_hone_command)
    foreach(_hone_language C CXX)
      if(NOT CMAKE_${_hone_language}_COMPILER_LAUNCHER MATCHES "hone-cc")
        set(CMAKE_${_hone_language}_COMPILER_LAUNCHER
            ${_hone_command} ${CMAKE_${_hone_language}_COMPILER_LAUNCHER})
      endif()
    endforeach()
  endif()
endmacro()

# Adds a target hone-report that shows what was tuned in this build tree and why the rest was not.
function(hone_report)
  if(HONE AND HONE_CC AND NOT TARGET hone-report)
    add_custom_target(hone-report COMMAND ${HONE_CC} --state-dir=${HONE_STATE_DIR} --stats VERBATIM)
  endif()
endfunction()
