package io.palinode.retroscope.snapshot.file;

/**
 * A file of entries in order; see {@link RunWriter} for its bytes.
 *
 * @param name its file in the snapshot's folder
 * @param entries keys in it, absent ones included
 * @param checksum of its index, which holds the checksums of all its blocks
 */
public record Run(String name, long entries, long bytes, int checksum) {}
