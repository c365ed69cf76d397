// Nothing: the precompiled headers that all targets share need a target of their own.
