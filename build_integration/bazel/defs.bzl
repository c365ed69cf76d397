"""cc_library, cc_binary and cc_test whose objects depend on the decision files of their sources.

    load("@hone//:defs.bzl", "cc_binary", "cc_library", "cc_test")

takes the place of Bazel's own: the same attributes, and targets of the same names. Of a target NAME
these make NAME.hone_headers (its headers and defines), NAME.hone (its compiled sources, each with
its own decision file as a declared input) and NAME itself, which holds everything else. Sources
without a decision file are compiled exactly as by Bazel's rules.
"""

load(":tuned_sources.bzl", "tuned_sources")

# Attributes of the headers: they say how others see the library.
_HEADERS = ["hdrs", "textual_hdrs", "includes", "include_prefix", "strip_include_prefix", "defines"]

# Of these, what a target itself has too: with layering_check, who includes it names its target.
_OWN = ["hdrs", "textual_hdrs", "include_prefix", "strip_include_prefix"]

# Attributes of the compiles.
_COMPILES = ["srcs", "copts", "local_defines", "nocopts"]

# Attributes that concern every part.
_COMMON = ["compatible_with", "deprecation", "features", "restricted_to", "tags", "testonly", "toolchains"]

def _pick(attributes, names):
    return {name: attributes[name] for name in names if attributes.get(name) != None}

def _split(name, attributes, **tuned):
    """Makes the parts below `name`; returns the attributes left for `name` itself."""
    common = _pick(attributes, _COMMON)
    deps = attributes.get("deps") or []
    headers = name + ".hone_headers"
    native.cc_library(
        name = headers,
        deps = deps,
        visibility = ["//visibility:private"],
        **dict(common, **_pick(attributes, _HEADERS))
    )
    if "nocopts" in attributes:
        fail("hone: nocopts of %s is not supported; use Bazel's own rule for it" % name)
    tuned_sources(
        name = name + ".hone",
        data = attributes.get("data") or [],
        deps = [":" + headers] + deps,
        # Not for wildcards: who asks for all objects gets those that the links do not need.
        tags = (common.pop("tags", None) or []) + ["manual"],
        visibility = ["//visibility:private"],
        **dict(common, **dict(_pick(attributes, _COMPILES), **tuned))
    )
    rest = {
        key: value
        for key, value in attributes.items()
        if key not in _COMPILES and (key not in _HEADERS or key in _OWN)
    }
    rest["deps"] = [":" + name + ".hone"]
    return rest

def cc_library(name, alwayslink = False, linkstatic = False, **attributes):
    """Bazel's cc_library, its sources tuned."""
    if not attributes.get("srcs"):
        native.cc_library(name = name, alwayslink = alwayslink, linkstatic = linkstatic, **attributes)
        return
    rest = _split(name, attributes, alwayslink = alwayslink, linkstatic = linkstatic)
    native.cc_library(name = name, **rest)

def cc_binary(name, **attributes):
    """Bazel's cc_binary, its sources tuned."""
    if attributes.get("srcs"):
        attributes = _split(name, attributes, alwayslink = True, linkstatic = True)
    native.cc_binary(name = name, **attributes)

def cc_test(name, **attributes):
    """Bazel's cc_test, its sources tuned."""
    if attributes.get("srcs"):
        attributes = _split(name, attributes, alwayslink = True, linkstatic = True)
    native.cc_test(name = name, **attributes)
