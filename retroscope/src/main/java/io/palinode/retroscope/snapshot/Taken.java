package io.palinode.retroscope.snapshot;

/**
 * What a node has taken.
 *
 * @param keys that are there at the snapshot's time
 * @param changed keys that were written for it
 * @param bytes that were written for it
 * @param checksum of the part's file
 */
public record Taken(long keys, long changed, long bytes, int checksum) {}
