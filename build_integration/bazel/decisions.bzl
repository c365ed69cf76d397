"""hone_decisions: a folder of decision files (hone policy pull --per-source) as one target."""

HoneDecisionsInfo = provider(
    doc = "The decision files of a policy.",
    fields = {"by_source": "Files by the source they are about: {\"src/a.cc\": src/a.cc.hone}"},
)

_SUFFIX = ".hone"

def _hone_decisions_impl(ctx):
    folder = "/".join([part for part in [ctx.label.package, ctx.attr.folder] if part])
    by_source = {}
    for file in ctx.files.srcs:
        name = file.short_path
        if folder:
            if not name.startswith(folder + "/"):
                fail("%s does not lie below %s" % (name, folder))
            name = name[len(folder) + 1:]
        if not name.endswith(_SUFFIX):
            fail("%s is no decision file: its name does not end in %s" % (name, _SUFFIX))
        by_source[name[:-len(_SUFFIX)]] = file
    return [
        DefaultInfo(files = depset(ctx.files.srcs)),
        HoneDecisionsInfo(by_source = by_source),
    ]

hone_decisions = rule(
    implementation = _hone_decisions_impl,
    attrs = {
        "folder": attr.string(
            doc = "What --per-source was given, relative to this package; default: the package.",
        ),
        "srcs": attr.label_list(allow_files = True, doc = "glob([\"FOLDER/**/*.hone\"])"),
    },
    doc = "Each file becomes an input of the compiles of its own source, and of no other.",
)
