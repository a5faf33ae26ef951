# cmake --install, and packages by CPack.
#   LIBDIR/libvlgl.so.0, libvlgl.a     what programs of ours link: all of EGL and OpenGL ES in one library
#   LIBDIR/vlgl/                       libEGL and libGLESv2 with the names of any other implementation's: put the folder on
#                                      LD_LIBRARY_PATH, and a program uses vlgl
#   LIBDIR/libEGL_vlgl.so.0 and share/glvnd/egl_vendor.d/60_vlgl.json   for a system's own libEGL (libglvnd)
#   include/vlgl/vlgl.h, pkgconfig/vlgl.pc, cmake/vlgl/                 for programs that link it
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(VLGL_PRIVATE_LIBDIR ${CMAKE_INSTALL_LIBDIR}/vlgl)
install(TARGETS vlgl vlgl_static
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS vlgl_egl vlgl_gles LIBRARY DESTINATION ${VLGL_PRIVATE_LIBDIR})
install(FILES api/vlgl.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vlgl)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES api/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME api.md)

file(RELATIVE_PATH VLGL_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(api/install/vlgl.pc.in vlgl.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vlgl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(api/install/vlglConfig.cmake.in vlglConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vlgl PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(vlglConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vlglConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/vlglConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vlgl)

if(TARGET vlgl_glvnd)
  install(TARGETS vlgl_glvnd LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
  # Written at installation, when the prefix is known; in /usr the dynamic linker finds the library by its name.
  install(CODE "
    set(VLGL_GLVND_LIBRARY libEGL_vlgl.so.0)
    if(NOT CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
      set(VLGL_GLVND_LIBRARY \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libEGL_vlgl.so.0\")
    endif()
    configure_file(\"${CMAKE_SOURCE_DIR}/api/vendor.json.in\" \"${CMAKE_CURRENT_BINARY_DIR}/60_vlgl.json\" @ONLY)")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/60_vlgl.json DESTINATION ${CMAKE_INSTALL_DATADIR}/glvnd/egl_vendor.d)
endif()
if(TARGET vlgl_cli)
  install(FILES samples/man/vlgl.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES samples/man/vlgl.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME vlgl)
  install(TARGETS vlgl_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set_target_properties(vlgl_cli PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/vlgl:$ORIGIN/../lib")
endif()

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME vlgl)
set(CPACK_PACKAGE_CONTACT "vlgl maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "OpenGL ES 2.0 and EGL on the CPU, the same bits everywhere")
set(CPACK_PACKAGE_FILE_NAME "vlgl-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libxcb1, libx11-xcb1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libegl1, libgles2, libassimp5")
include(CPack)
