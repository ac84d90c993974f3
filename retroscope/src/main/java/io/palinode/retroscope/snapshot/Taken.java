package io.palinode.retroscope.snapshot;

/**
 * What a node has taken.
 *
 * @param keys that are there at the snapshot's time
 * @param changed keys that were written for it
 * @param bytes that were written for it
 * @param checksum of the part's file
 * @param from the snapshot that it began from, by the node's own choice; empty: none. That snapshot
 *     may have been discarded since
 */
public record Taken(long keys, long changed, long bytes, int checksum, String from) {}
