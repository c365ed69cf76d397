"""tuned_sources: compiles each source by an action that has the source's decision file as an input.

Bazel's own rules cannot do that: their inputs are a whole target's or the toolchain's, so that one
changed decision would compile all of them again.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load(":decisions.bzl", "HoneDecisionsInfo")

_SOURCES = ["c", "cc", "cpp", "cxx", "c++", "C", "S", "s"]
_HEADERS = ["h", "hh", "hpp", "hxx", "h++", "H", "inc", "inl", "ipp", "tcc", "tlh", "tli"]

def _expand(ctx, attribute):
    """Words of an attribute as Bazel's rules understand it: locations, variables, then sh quoting."""
    words = []
    for text in getattr(ctx.attr, attribute):
        located = ctx.expand_location(text, ctx.attr.data + ctx.attr.srcs)
        words += ctx.tokenize(ctx.expand_make_variables(attribute, located, {}))
    return words

def _naming(decision):
    """Names a decision file to the launcher; to a clang that only compiles this means nothing."""
    if not decision:
        return []
    return [
        "--start-no-unused-arguments",
        "-Xlinker",
        "--hone-decision=" + decision.path,
        "--end-no-unused-arguments",
    ]

def _tuned_sources_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    headers = [file for file in ctx.files.srcs if file.extension in _HEADERS]
    sources = [file for file in ctx.files.srcs if file.extension in _SOURCES]
    for file in ctx.files.srcs:
        if file.extension not in _HEADERS + _SOURCES:
            fail("hone: %s is neither source nor header; use Bazel's own rule for %s" %
                 (file.short_path, ctx.label))

    decisions = ctx.attr._decisions[HoneDecisionsInfo].by_source
    contexts = [dep[CcInfo].compilation_context for dep in ctx.attr.deps]
    copts = _expand(ctx, "copts")
    local_defines = _expand(ctx, "local_defines")
    compiled = []
    context = None
    used = {}
    for source in sources:
        # Two sources may have one base name: their objects need folders of their own.
        stem = source.basename[:-len(source.extension) - 1]
        used[stem] = used.get(stem, -1) + 1
        decision = decisions.get(source.path)
        context, outputs = cc_common.compile(
            name = "%s/%d" % (ctx.label.name, used[stem]) if used[stem] else ctx.label.name,
            actions = ctx.actions,
            feature_configuration = features,
            cc_toolchain = toolchain,
            srcs = [source],
            private_hdrs = headers,
            compilation_contexts = contexts,
            user_compile_flags = copts + _naming(decision),
            local_defines = local_defines,
            additional_inputs = [decision] if decision else [],
        )
        compiled.append(outputs)
    if context == None:
        context = cc_common.merge_compilation_contexts(compilation_contexts = contexts)

    linking = [dep[CcInfo].linking_context for dep in ctx.attr.deps]
    objects = cc_common.merge_compilation_outputs(compilation_outputs = compiled)
    if compiled:
        own, _ = cc_common.create_linking_context_from_compilation_outputs(
            name = ctx.label.name,
            actions = ctx.actions,
            feature_configuration = features,
            cc_toolchain = toolchain,
            compilation_outputs = objects,
            linking_contexts = linking,
            alwayslink = ctx.attr.alwayslink,
            disallow_dynamic_library = ctx.attr.linkstatic,
        )
        linking = [own] + linking
    info = CcInfo(compilation_context = context)
    return [
        DefaultInfo(files = depset(objects.objects + objects.pic_objects)),
        cc_common.merge_cc_infos(
            direct_cc_infos = [info],
            cc_infos = [CcInfo(linking_context = context_of) for context_of in linking],
        ),
    ]

tuned_sources = rule(
    implementation = _tuned_sources_impl,
    attrs = {
        "alwayslink": attr.bool(),
        "copts": attr.string_list(),
        "data": attr.label_list(allow_files = True),
        "deps": attr.label_list(providers = [CcInfo]),
        "linkstatic": attr.bool(),
        "local_defines": attr.string_list(),
        "srcs": attr.label_list(allow_files = True),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
        "_decisions": attr.label(default = "//:decisions", providers = [HoneDecisionsInfo]),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
    incompatible_use_toolchain_transition = True,
)
