package io.palinode.detector.affected;

/** How much of the store a rollback takes back. */
public sealed interface Extent permits Affected, Everything {}
