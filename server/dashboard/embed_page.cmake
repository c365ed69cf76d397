# cmake -DNPM=npm -DSOURCE=page -DWORK=dir -DPAGE=dir/dist -DCACHE=dir -DOUTPUT=file.cc -P embed_page.cmake
# Builds the page in a copy of its sources (NPM empty: PAGE is there already), and writes a source file whose
# function hone::embedded_page() gives the files of PAGE. Nothing of it is ever written beside the sources.
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
  function(run)
    execute_process(
      COMMAND ${ARGV}
      WORKING_DIRECTORY ${WORK}
      RESULT_VARIABLE result
      OUTPUT_VARIABLE output
      ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
      list(JOIN ARGV " " command)
      message(FATAL_ERROR "${command} (in ${WORK}) failed: ${result}\n${output}\n"
                          "Without the dashboard: cmake -DHONE_DASHBOARD=OFF")
    endif()
  endfunction()
  if(NOT installed STREQUAL wanted)
    run(${NPM} ci --no-audit --no-fund --cache ${CACHE})
    file(WRITE ${WORK}/node_modules/.hone-lock ${wanted})
  endif()
  run(${NPM} run build -- --outDir ${PAGE} --emptyOutDir)
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
