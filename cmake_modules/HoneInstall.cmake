# What `cmake --install build --prefix P` puts where. hone-cc looks for its plugin in ../lib/hone
# (their install rules stand with their targets); find_package(Hone) finds lib/cmake/Hone.
include(CMakePackageConfigHelpers)

install(TARGETS hone hone-learner hone-session hone-sandbox-init RUNTIME DESTINATION bin)
install(TARGETS honed RUNTIME DESTINATION bin COMPONENT hone-server)
install(TARGETS hone-worker RUNTIME DESTINATION bin COMPONENT hone-worker)
install(PROGRAMS deploy/slurm/hone-slurm-scale deploy/slurm/hone-worker.sbatch
        DESTINATION share/hone/slurm COMPONENT hone-worker)
install(FILES deploy/slurm/README.md DESTINATION share/hone/slurm COMPONENT hone-worker)

set(HONE_BIN_DIR bin)
configure_package_config_file(
  cmake_modules/HoneConfig.cmake.in ${PROJECT_BINARY_DIR}/package/HoneConfig.cmake
  INSTALL_DESTINATION lib/cmake/Hone
  PATH_VARS HONE_BIN_DIR)
# Scripts only, so that any architecture of a find_package() will do; the minor version counts
# before 1.0.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/package/HoneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(
  FILES ${PROJECT_BINARY_DIR}/package/HoneConfig.cmake
        ${PROJECT_BINARY_DIR}/package/HoneConfigVersion.cmake cmake_modules/Hone.cmake
        cmake_modules/HoneDecisions.cmake
  DESTINATION lib/cmake/Hone)
