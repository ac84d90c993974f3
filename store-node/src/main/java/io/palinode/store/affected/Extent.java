package io.palinode.store.affected;

/** The writes that a rollback undoes. */
public sealed interface Extent permits Affected, Everything {}
