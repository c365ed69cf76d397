# cmake -DNPM=npm -DSOURCE=page -DWORK=dir -DPAGE=dir/dist -DMISSING=dir -DWANTED=AUTO -DCACHE=dir -DOUTPUT=file.cc
#   -P embed_page.cmake
# Builds the page in a copy of its sources (NPM empty: PAGE is there already), and writes a source file whose
# function hone::embedded_page() gives the files of PAGE. Nothing of it is ever written beside the sources. Where npm cannot have the packages (a
# machine without its registry), and the page is not WANTED=ON, MISSING takes its place.
if(NPM)
  file(MAKE_DIRECTORY ${WORK})
  # What was there is replaced, but the packages that the last build installed stay.
  file(GLOB old ${WORK}/*)
  list(REMOVE_ITEM old ${WORK}/node_modules)
  if(old)
    file(REMOVE_RECURSE ${old})
  endif()
  file(COPY ${SOURCE}/ DESTINATION ${WORK} PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE)
  set(lock ${WORK}/package-lock.json)
  file(SHA256 ${lock} wanted)
  set(installed "")
  if(EXISTS ${WORK}/node_modules/.hone-lock)
    file(READ ${WORK}/node_modules/.hone-lock installed)
  endif()
  # run(OUTCOME COMMAND...): OUTCOME holds what went wrong, or nothing.
  function(run outcome)
    execute_process(
      COMMAND ${ARGN}
      WORKING_DIRECTORY ${WORK}
      RESULT_VARIABLE result
      OUTPUT_VARIABLE output
      ERROR_VARIABLE output)
    set(wrong "")
    if(NOT result EQUAL 0)
      list(JOIN ARGN " " command)
      set(wrong "${command} (in ${WORK}) failed: ${result}\n${output}\n")
    endif()
    set(${outcome} "${wrong}" PARENT_SCOPE)
  endfunction()
  set(wrong "")
  if(NOT installed STREQUAL wanted)
    run(wrong ${NPM} ci --no-audit --no-fund --cache ${CACHE})
    if(NOT wrong)
      file(WRITE ${WORK}/node_modules/.hone-lock ${wanted})
    elseif(WANTED STREQUAL "ON")
      message(FATAL_ERROR "${wrong}Without the dashboard: cmake -DHONE_DASHBOARD=OFF")
    else()
      message(WARNING "${wrong}honed is built WITHOUT the dashboard: its packages could not be had. Once they can be, "
                      "build again after: touch ${SOURCE}/package.json")
      set(PAGE ${MISSING})
    endif()
  endif()
  if(NOT wrong)
    run(wrong ${NPM} run build -- --outDir ${PAGE} --emptyOutDir)
    if(wrong)
      message(FATAL_ERROR "${wrong}Without the dashboard: cmake -DHONE_DASHBOARD=OFF")
    endif()
  endif()
endif()

if(NOT EXISTS ${PAGE}/index.html)
  message(FATAL_ERROR "the dashboard's build left no ${PAGE}/index.html")
endif()
file(
  GLOB files
  RELATIVE ${PAGE}
  ${PAGE}/index.html ${PAGE}/favicon.svg ${PAGE}/assets/*)
list(FILTER files EXCLUDE REGEX "\\.map$")

set(arrays "")
set(table "")
set(number 0)
foreach(file IN LISTS files)
  # Lines of 16 bytes.
  file(READ ${PAGE}/${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  file(SIZE ${PAGE}/${file} size)
  file(SHA256 ${PAGE}/${file} sha256)
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {\n${bytes}0};\n")
  string(APPEND table "      {\"/${file}\", {reinterpret_cast<const char*>(kFile${number}), ${size}}, \"${sha256}\"},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(
  WRITE ${OUTPUT}
  "#include \"server/dashboard/embedded_page.h\"

namespace hone {
namespace {

${arrays}
}  // namespace

const std::vector<PageFile>& embedded_page() {
  static const std::vector<PageFile> kFiles{
${table}  };
  return kFiles;
}

}  // namespace hone
")
