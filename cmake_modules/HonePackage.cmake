# Debian packages: `cpack -G DEB` in the build folder writes hone, hone-server and hone-worker. Whatever is
# installed without saying for whom is the package hone's (CMAKE_INSTALL_DEFAULT_COMPONENT_NAME).
#
# What only a package installs (units, settings in /etc, completions) is EXCLUDE_FROM_ALL, so that
# `cmake --install --prefix P` writes below P alone.
set(HONE_PACKAGE_CONTACT "The Hone developers <hone@lists.debian.org>"
    CACHE STRING "Maintainer of the packages that cpack makes")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hone)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${HONE_PACKAGE_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON) # for /etc
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL hone hone-server hone-worker)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(same "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_HONE_PACKAGE_NAME hone)
set(CPACK_DEBIAN_HONE_PACKAGE_RECOMMENDS "clang-19, ccache")
set(CPACK_DEBIAN_HONE_PACKAGE_SUGGESTS "hone-server, hone-worker, valgrind")
set(CPACK_DEBIAN_HONE_DESCRIPTION
    "makes C and C++ products faster than -O3 by measuring
Hone learns which LLVM passes and settings to use on which files of a product,
measures every candidate against the product's own build, and ships the winner
as a policy that the ordinary build uses.
.
This package has the command line, the compiler launcher with its pass plugins,
compile sessions and the learner.")
set(CPACK_DEBIAN_HONE-SERVER_PACKAGE_NAME hone-server)
set(CPACK_DEBIAN_HONE-SERVER_PACKAGE_DEPENDS "adduser, hone ${same}")
set(CPACK_DEBIAN_HONE-SERVER_PACKAGE_RECOMMENDS "postgresql-15 | postgresql")
set(CPACK_DEBIAN_HONE-SERVER_DESCRIPTION
    "coordinator of Hone: REST API, queue and store
honed takes jobs and campaigns, gives them to staging workers, keeps results in
PostgreSQL (a private one unless told otherwise) and shows them on a dashboard.")
set(CPACK_DEBIAN_HONE-WORKER_PACKAGE_NAME hone-worker)
set(CPACK_DEBIAN_HONE-WORKER_PACKAGE_DEPENDS
    "hone ${same}, binutils, bubblewrap, ccache, clang-19, cmake, ninja-build, procps")
set(CPACK_DEBIAN_HONE-WORKER_PACKAGE_RECOMMENDS "g++, git, make, valgrind")
set(CPACK_DEBIAN_HONE-WORKER_PACKAGE_SUGGESTS "slurm-client, curl")
set(CPACK_DEBIAN_HONE-WORKER_DESCRIPTION
    "staging worker of Hone: builds and measures in a sandbox
hone-worker leases jobs from honed, builds baseline and candidates, checks that
their outputs agree, and measures them in interleaved pairs.")
set(scripts ${PROJECT_SOURCE_DIR}/deploy/debian)
set(conffiles ${PROJECT_BINARY_DIR}/package)
file(WRITE ${conffiles}/hone-server/conffiles "/etc/hone/honed.yaml\n")
file(WRITE ${conffiles}/hone-worker/conffiles "/etc/hone/worker.yaml\n")
foreach(package hone-server hone-worker)
  string(TOUPPER ${package} upper)
  foreach(script postinst prerm postrm)
    configure_file(${scripts}/${package}.${script} ${conffiles}/${package}/${script} COPYONLY)
  endforeach()
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA
      ${conffiles}/${package}/conffiles;${conffiles}/${package}/postinst;${conffiles}/${package}/prerm;${conffiles}/${package}/postrm)
endforeach()

# Documents that every package has by Debian's policy.
find_program(HONE_GZIP gzip)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(package hone hone-server hone-worker)
  set(changelog ${conffiles}/${package}/changelog.Debian)
  file(WRITE ${changelog}
       "hone (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) bookworm; urgency=medium\n\n"
       "  * Built from the project's own tree.\n\n -- ${HONE_PACKAGE_CONTACT}  ${now}\n")
  if(HONE_GZIP)
    execute_process(COMMAND ${HONE_GZIP} -9nf ${changelog} COMMAND_ERROR_IS_FATAL ANY)
    install(FILES ${changelog}.gz DESTINATION share/doc/${package} COMPONENT ${package}
            EXCLUDE_FROM_ALL)
  endif()
  install(FILES ${scripts}/copyright DESTINATION share/doc/${package}
          COMPONENT ${package} EXCLUDE_FROM_ALL)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/ARCHITECTURE.md
        DESTINATION share/doc/hone COMPONENT hone EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/docs/configuration.md DESTINATION share/doc/hone
        COMPONENT hone EXCLUDE_FROM_ALL OPTIONAL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/deploy/prometheus DESTINATION share/hone
        COMPONENT hone-server EXCLUDE_FROM_ALL)

install(FILES ${scripts}/hone.lintian-overrides DESTINATION share/lintian/overrides RENAME hone
        COMPONENT hone EXCLUDE_FROM_ALL)

set(systemd ${PROJECT_SOURCE_DIR}/deploy/systemd)
foreach(pair honed:hone-server hone-worker:hone-worker)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 unit)
  list(GET pair 1 package)
  install(FILES ${systemd}/${unit}.service DESTINATION /lib/systemd/system COMPONENT ${package}
          EXCLUDE_FROM_ALL)
  install(FILES ${systemd}/README.md DESTINATION share/doc/${package} COMPONENT ${package}
          EXCLUDE_FROM_ALL)
endforeach()
install(FILES ${systemd}/hone.sysusers DESTINATION lib/sysusers.d RENAME hone.conf
        COMPONENT hone-server EXCLUDE_FROM_ALL)
install(FILES ${systemd}/hone.tmpfiles DESTINATION lib/tmpfiles.d RENAME hone.conf
        COMPONENT hone-server EXCLUDE_FROM_ALL)
install(FILES ${systemd}/honed.yaml DESTINATION /etc/hone COMPONENT hone-server EXCLUDE_FROM_ALL)
install(FILES ${systemd}/worker.yaml DESTINATION /etc/hone COMPONENT hone-worker EXCLUDE_FROM_ALL)

# Completions, by the programs themselves when the package is made.
foreach(pair hone:hone honed:hone-server hone-worker:hone-worker hone-learner:hone)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 program)
  list(GET pair 1 package)
  if(program STREQUAL hone)
    set(arguments completion bash)
  else()
    set(arguments --bash-completion)
  endif()
  install(
    CODE "
      execute_process(COMMAND \"$<TARGET_FILE:${program}>\" ${arguments}
                      OUTPUT_FILE \"${conffiles}/${program}.completion\" COMMAND_ERROR_IS_FATAL ANY)
      file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/share/bash-completion/completions\"
           TYPE FILE RENAME ${program} FILES \"${conffiles}/${program}.completion\")"
    COMPONENT ${package} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
