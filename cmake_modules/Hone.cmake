# Hone in a CMake build: compiles a target's C and C++ sources through hone-cc.
#
#   find_package(Hone)                     # or include() with a path; CMake 3.19 or later
#   hone_enable(my_target [my_other_target ...] [POLICY file] [ROOT dir])
#   hone_enable_all([POLICY file] [ROOT dir])
#   hone_report()
#
# Works with the Ninja and Makefile generators, for the compilers that hone-cc tunes; others are
# compiled plain. Without hone-cc on this machine, or with HONE=OFF, everything here does nothing but
# say so: the project builds as before. To build on machines without Hone: if(Hone_FOUND) around the calls.
#
#   POLICY   index that `hone policy pull` or `hone policy compile` wrote; default: the variable
#            HONE_POLICY, else the environment's. It need not exist yet, and may be removed.
#   ROOT     folder that the policy's sources are relative to; default CMAKE_SOURCE_DIR
#
# A new policy rebuilds exactly the objects whose decision changed, at the next build and without
# configuring again: each source has a small file below HONE_STATE_DIR that holds what the policy
# decides for it, its object depends on that file, and a step at the beginning of each build (target
# hone-decisions) writes those that changed. The step needs the program `hone` and the policy's
# document beside the index (POLICY.json, as pull leaves it); without them all objects are rebuilt
# when the index changes. A source that a tuned and an untuned target of one folder share is rebuilt
# for both.
#
# A launcher that is set already stays. hone-cc stands before ccache or sccache, whatever the order
# in the list: then the cache sees the decision on the command line, and the plugin as a file that
# it names, so that equal decisions hit and others miss. The other way round ccache takes hone-cc
# for the compiler and the compiler, whose path CMake writes out, for a second source: nothing is
# cached. (Outside of CMake: CCACHE_PREFIX=hone-cc with the index and the plugin in
# CCACHE_EXTRAFILES is right, but a new policy then misses for every object.) Behind launchers of
# other kinds (cmake -E env, nice) hone-cc stands next to the compiler.
#
# Variables: HONE (ON), HONE_CC and HONE_PROGRAM (found beside this file's installation, then in
# PATH), HONE_POLICY, HONE_STATE_DIR (default <build>/.hone: log, notes, decisions).
include_guard(GLOBAL)

option(HONE "Compile with tuned pass pipelines where a policy says so" ON)
set(_hone_hints ${CMAKE_CURRENT_LIST_DIR}/../../../bin ${CMAKE_CURRENT_LIST_DIR}/../build/release/bin)
find_program(HONE_CC hone-cc HINTS ${_hone_hints} DOC "Hone's compiler launcher")
find_program(HONE_PROGRAM hone HINTS ${_hone_hints} DOC "Hone's command line")
unset(_hone_hints)
set(HONE_POLICY "$ENV{HONE_POLICY}" CACHE FILEPATH "Index of the policy in use")
set(HONE_STATE_DIR "${CMAKE_BINARY_DIR}/.hone" CACHE PATH "Log and notes of this build tree")
set_property(GLOBAL PROPERTY _HONE_MODULE_DIR "${CMAKE_CURRENT_LIST_DIR}")

# Tunes the named targets.
function(hone_enable)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "POLICY;ROOT" "")
  if(NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hone_enable: no target is named")
  endif()
  _hone_settings("${arg_POLICY}" "${arg_ROOT}" settings)
  foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "hone_enable: there is no target ${target}")
    endif()
    get_target_property(aliased ${target} ALIASED_TARGET)
    if(aliased)
      set(target ${aliased})
    endif()
    if(settings)
      set_property(GLOBAL APPEND PROPERTY _HONE_TARGETS ${target})
      set_property(GLOBAL PROPERTY _HONE_SETTINGS_${target} "${settings}")
    endif()
  endforeach()
endfunction()

# Tunes every target of this folder and below, those added later included.
function(hone_enable_all)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "POLICY;ROOT" "")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hone_enable_all: takes POLICY and ROOT, not ${arg_UNPARSED_ARGUMENTS}")
  endif()
  _hone_settings("${arg_POLICY}" "${arg_ROOT}" settings)
  if(settings)
    set_property(GLOBAL APPEND PROPERTY _HONE_FOLDERS "${CMAKE_CURRENT_SOURCE_DIR}")
    set_property(GLOBAL PROPERTY "_HONE_SETTINGS_${CMAKE_CURRENT_SOURCE_DIR}" "${settings}")
  endif()
endfunction()

# Adds a target hone-report that shows what was tuned in this build tree and why the rest was not.
function(hone_report)
  if(HONE AND HONE_CC AND NOT TARGET hone-report)
    add_custom_target(hone-report COMMAND ${HONE_CC} --state-dir=${HONE_STATE_DIR} --stats VERBATIM)
  endif()
endfunction()

# Sets `result` to "policy;root", both absolute, or to nothing if Hone is not in use; then what the
# calls ask for is done when the project has been read.
function(_hone_settings policy root result)
  set(${result} "" PARENT_SCOPE)
  if(NOT HONE)
    return()
  endif()
  if(CMAKE_VERSION VERSION_LESS 3.19)
    message(STATUS "Hone: needs CMake 3.19, compiling plain")
    return()
  endif()
  if(NOT HONE_CC)
    message(STATUS "Hone: no hone-cc found, compiling plain (set HONE_CC)")
    return()
  endif()
  if(NOT policy)
    set(policy "${HONE_POLICY}")
  endif()
  if(NOT policy)
    message(STATUS "Hone: no policy named, compiling plain (set HONE_POLICY)")
    return()
  endif()
  if(NOT root)
    set(root "${CMAKE_SOURCE_DIR}")
  endif()
  get_filename_component(policy "${policy}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
  get_filename_component(root "${root}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
  set(${result} "${policy};${root}" PARENT_SCOPE)
  get_property(waiting GLOBAL PROPERTY _HONE_WAITING)
  if(NOT waiting)
    set_property(GLOBAL PROPERTY _HONE_WAITING TRUE)
    # At the end of the project: a target's sources and launchers are complete then.
    cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _hone_finish)
  endif()
endfunction()

function(_hone_finish)
  get_property(targets GLOBAL PROPERTY _HONE_TARGETS)
  get_property(folders GLOBAL PROPERTY _HONE_FOLDERS)
  # The innermost folder that asks governs a target.
  list(SORT folders ORDER DESCENDING)
  foreach(folder IN LISTS folders)
    get_property(settings GLOBAL PROPERTY "_HONE_SETTINGS_${folder}")
    _hone_targets_below("${folder}" found)
    foreach(target IN LISTS found)
      if(NOT target IN_LIST targets)
        list(APPEND targets ${target})
        set_property(GLOBAL PROPERTY _HONE_SETTINGS_${target} "${settings}")
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES targets)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(imported ${target} IMPORTED)
    if(NOT imported AND type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
      get_property(settings GLOBAL PROPERTY _HONE_SETTINGS_${target})
      list(GET settings 0 policy)
      list(GET settings 1 root)
      _hone_set_launcher(${target} "${policy}" "${root}")
      _hone_depend_on_decisions(${target} "${policy}" "${root}")
    endif()
  endforeach()
  _hone_add_step()
endfunction()

function(_hone_targets_below folder result)
  get_property(found DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(children DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS children)
    _hone_targets_below("${child}" more)
    list(APPEND found ${more})
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Puts hone-cc with its flags into the target's launchers. Flags rather than variables: no
# `cmake -E env` stands before each compile.
function(_hone_set_launcher target policy root)
  set(ours "${HONE_CC}" "--policy=${policy}" "--root=${root}" "--state-dir=${HONE_STATE_DIR}")
  foreach(language C CXX)
    get_target_property(own ${target} ${language}_COMPILER_LAUNCHER)
    set(launchers "")
    set(placed FALSE)
    set(in_flags FALSE)
    foreach(word IN LISTS own)
      get_filename_component(name "${word}" NAME)
      if(name STREQUAL "hone-cc")
        set(in_flags TRUE) # the user's own, replaced by ours
        continue()
      elseif(in_flags AND word MATCHES "^--")
        continue()
      elseif(word MATCHES "-NOTFOUND$" OR word STREQUAL "")
        continue()
      endif()
      set(in_flags FALSE)
      if(NOT placed AND name MATCHES "^s?ccache$")
        list(APPEND launchers ${ours})
        set(placed TRUE)
      endif()
      list(APPEND launchers "${word}")
    endforeach()
    if(NOT placed)
      list(APPEND launchers ${ours})
    endif()
    set_property(TARGET ${target} PROPERTY ${language}_COMPILER_LAUNCHER "${launchers}")
  endforeach()
endfunction()

# The files that a target may compile, absolute. Of generator expressions every word that looks like
# a source: to name one that is not compiled does no harm. Unity builds compile files of CMake's.
function(_hone_sources_of target result)
  get_target_property(sources ${target} SOURCES)
  get_target_property(source_dir ${target} SOURCE_DIR)
  get_target_property(binary_dir ${target} BINARY_DIR)
  if(NOT sources)
    set(sources "")
  endif()
  set(words "")
  foreach(source IN LISTS sources)
    if(source MATCHES "[<>]")
      string(REGEX MATCHALL "[^<>:,;\$]+" pieces "${source}")
      list(APPEND words ${pieces})
    else()
      list(APPEND words "${source}")
    endif()
  endforeach()
  set(found "")
  set(groups "")
  foreach(word IN LISTS words)
    if(NOT word MATCHES "\\.(c|i|cc|cp|cxx|cpp|CPP|c\\+\\+|C|CXX|ii|cppm|ccm|cxxm|c\\+\\+m)$")
      continue()
    endif()
    get_filename_component(file "${word}" ABSOLUTE BASE_DIR "${source_dir}")
    list(APPEND found "${file}")
    get_property(group SOURCE "${file}" TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP)
    list(APPEND groups ${group})
    if(NOT EXISTS "${file}" AND NOT IS_ABSOLUTE "${word}")
      get_filename_component(generated "${word}" ABSOLUTE BASE_DIR "${binary_dir}")
      list(APPEND found "${generated}")
    endif()
  endforeach()
  get_target_property(unity ${target} UNITY_BUILD)
  if(unity)
    get_target_property(size ${target} UNITY_BUILD_BATCH_SIZE)
    list(LENGTH found count)
    if(size GREATER 0)
      math(EXPR count "(${count} + ${size} - 1) / ${size} + 1") # one more: two languages
    else()
      set(count 1)
    endif()
    math(EXPR last "${count} - 1")
    foreach(number RANGE ${last})
      list(APPEND groups ${number})
    endforeach()
    list(REMOVE_DUPLICATES groups)
    foreach(group IN LISTS groups)
      foreach(suffix c.c cxx.cxx)
        list(APPEND found
             "${binary_dir}/CMakeFiles/${target}.dir/Unity/unity_${group}_${suffix}")
      endforeach()
    endforeach()
  endif()
  list(REMOVE_DUPLICATES found)
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Lets the objects of a target depend on the decision files of its sources.
function(_hone_depend_on_decisions target policy root)
  string(MD5 key "${policy}\n${root}")
  string(SUBSTRING ${key} 0 12 key)
  get_filename_component(real_root "${root}" REALPATH)
  _hone_sources_of(${target} files)
  foreach(file IN LISTS files)
    # The name under which rules know it: as hone-cc makes it.
    get_filename_component(real "${file}" REALPATH)
    string(FIND "${file}" "${root}/" spelled)
    string(FIND "${real}" "${real_root}/" resolved)
    if(spelled EQUAL 0)
      file(RELATIVE_PATH name "${root}" "${file}")
    elseif(resolved EQUAL 0)
      file(RELATIVE_PATH name "${real_root}" "${real}")
    else()
      set(name "${file}")
    endif()
    set(decision "${HONE_STATE_DIR}/decisions/${key}/${name}.decision")
    if(IS_ABSOLUTE "${name}")
      set(decision "${HONE_STATE_DIR}/decisions/${key}/@${name}.decision")
    endif()
    set_property(SOURCE "${file}" TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS
                                                                             "${decision}")
    set_property(GLOBAL APPEND PROPERTY _HONE_NAMES_${key} "${name}")
    set_property(GLOBAL APPEND PROPERTY _HONE_DECISIONS "${decision}")
  endforeach()
  set_property(GLOBAL APPEND PROPERTY _HONE_KEYS ${key})
  set_property(GLOBAL PROPERTY _HONE_POLICY_${key} "${policy}")
  get_target_property(source_dir ${target} SOURCE_DIR)
  set_property(GLOBAL APPEND PROPERTY _HONE_TOUCHED "${source_dir}")
endfunction()

# The step that writes the decision files: once now, then at the beginning of each build.
function(_hone_add_step)
  get_property(keys GLOBAL PROPERTY _HONE_KEYS)
  if(NOT keys)
    return()
  endif()
  list(REMOVE_DUPLICATES keys)
  get_property(module_dir GLOBAL PROPERTY _HONE_MODULE_DIR)
  set(commands "")
  foreach(key IN LISTS keys)
    get_property(names GLOBAL PROPERTY _HONE_NAMES_${key})
    get_property(policy GLOBAL PROPERTY _HONE_POLICY_${key})
    list(REMOVE_DUPLICATES names)
    list(JOIN names "\n" lines)
    # Not in the state folder, which anybody may empty.
    set(list_file "${CMAKE_BINARY_DIR}/CMakeFiles/hone/${key}.sources")
    file(CONFIGURE OUTPUT "${list_file}" CONTENT "${lines}\n" @ONLY)
    set(command
        "${CMAKE_COMMAND}" "-DHONE_PROGRAM=${HONE_PROGRAM}" "-DPOLICY=${policy}"
        "-DSOURCES=${list_file}" "-DFOLDER=${HONE_STATE_DIR}/decisions/${key}"
        -P "${module_dir}/HoneDecisions.cmake")
    execute_process(COMMAND ${command})
    list(APPEND commands COMMAND ${command})
  endforeach()
  set(byproducts "")
  if(CMAKE_GENERATOR MATCHES "Ninja")
    get_property(decisions GLOBAL PROPERTY _HONE_DECISIONS)
    list(REMOVE_DUPLICATES decisions)
    set(byproducts BYPRODUCTS ${decisions})
  endif()
  add_custom_target(
    hone-decisions ${commands} ${byproducts} COMMENT "Hone: looking for changed decisions" VERBATIM)
  # Every target that may share a source with a tuned one waits, since its objects depend on the
  # same files.
  get_property(folders GLOBAL PROPERTY _HONE_TOUCHED)
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
        add_dependencies(${target} hone-decisions)
      endif()
    endforeach()
  endforeach()
endfunction()
