package io.palinode.store.past;

/**
 * One store of a node: how its keys are placed, and what its records contain.
 *
 * @param isOnDisk whether records survive a restart; only then are its logs on disk
 */
public record StoreSpec(String name, Placement placement, RecordRules rules, boolean isOnDisk) {}
