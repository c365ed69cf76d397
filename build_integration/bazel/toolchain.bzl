"""hone_toolchain: Bazel's own clang toolchain, its compiler called through hone-cc.

In WORKSPACE:

    local_repository(name = "hone", path = "...")  # this folder
    load("@hone//:toolchain.bzl", "hone_toolchain")
    hone_toolchain(name = "hone_cc")

and in .bazelrc:

    build --crosstool_top=@hone_cc//:toolchain

Everything but the compiler's name is what Bazel finds for this clang by itself. Wrapper, launcher,
pass plugin and policy lie in the toolchain's own folder, as inputs of each compile: command lines
name them relative to the workspace, a new launcher or plugin rebuilds, and a sandbox has them.
Without hone-cc on this machine the toolchain is the plain one.
"""

load("@bazel_tools//tools/cpp:cc_configure.bzl", "cc_autoconf_impl")

# What Bazel's toolchain takes for inputs of every action: see compiler_deps in the BUILD it makes.
_INPUTS = "extra_tools"
_PLUGIN_FOLDERS = [".", "../lib", "../lib/hone"]

def _find(repository_ctx, name):
    if name.startswith("/"):
        return repository_ctx.path(name)
    return repository_ctx.which(name)

def _plugins(repository_ctx, launcher):
    for relative in _PLUGIN_FOLDERS:
        place = repository_ctx.path("%s/%s" % (launcher.realpath.dirname, relative))
        found = [
            file
            for file in (place.readdir() if place.exists else [])
            if file.basename.startswith("libhone_pass-") and file.basename.endswith(".so")
        ]
        if found:
            return found
    return []

def _hone_toolchain_impl(repository_ctx):
    clang = _find(repository_ctx, repository_ctx.attr.clang)
    if clang == None or not clang.exists:
        fail("hone_toolchain: there is no %s; name it with clang = \"...\"" %
             repository_ctx.attr.clang)
    cc_autoconf_impl(repository_ctx, {"gcc": str(clang)})

    named = repository_ctx.os.environ.get("HONE_CC", "") or repository_ctx.attr.hone_cc
    launcher = _find(repository_ctx, named)
    if launcher == None or not launcher.exists:
        # buildifier: disable=print
        print("hone_toolchain: there is no %s, compiling plain (set HONE_CC)" % named)
        return

    # The one line of Bazel's configuration that names the compiler.
    build = repository_ctx.read("BUILD")
    line = "\"gcc\": \"%s\"" % clang
    if build.count(line) != 1:
        fail("hone_toolchain: this Bazel's cc_configure does not name its compiler as expected")
    wrapper = _INPUTS + "/hone_clang.sh"
    repository_ctx.file("BUILD", build.replace(line, "\"gcc\": \"%s\"" % wrapper))
    repository_ctx.template(
        wrapper,
        repository_ctx.attr._wrapper,
        {"%{clang}": str(clang)},
        executable = True,
    )
    repository_ctx.symlink(launcher.realpath, _INPUTS + "/hone-cc")
    for plugin in _plugins(repository_ctx, launcher):
        repository_ctx.symlink(plugin, "%s/%s" % (_INPUTS, plugin.basename))
    if repository_ctx.attr.policy:
        repository_ctx.symlink(repository_ctx.attr.policy, _INPUTS + "/policy")

hone_toolchain = repository_rule(
    implementation = _hone_toolchain_impl,
    attrs = {
        "clang": attr.string(default = "clang-19", doc = "A program in PATH, or an absolute path."),
        "hone_cc": attr.string(
            default = "hone-cc",
            doc = "A program in PATH, or an absolute path; --repo_env=HONE_CC=... beats it.",
        ),
        "policy": attr.label(
            allow_single_file = True,
            doc = "An index that holds for every source without a decision file of its own. All " +
                  "objects depend on it: decision files (defs.bzl) rebuild less.",
        ),
        "_wrapper": attr.label(default = "//:hone_clang.sh", allow_single_file = True),
    },
    configure = True,
    environ = [
        "BAZEL_COMPILER",
        "BAZEL_CONLYOPTS",
        "BAZEL_COPTS",
        "BAZEL_CXXOPTS",
        "BAZEL_HOST_SYSTEM",
        "BAZEL_LINKLIBS",
        "BAZEL_LINKOPTS",
        "BAZEL_TARGET_CPU",
        "BAZEL_USE_LLVM_NATIVE_COVERAGE",
        "CC_CONFIGURE_DEBUG",
        "HONE_CC",
    ],
)
