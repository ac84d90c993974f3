package io.palinode.detector;

/**
 * One sibling of a key: its value and its vector clock in the store's bytes (without timestamp:
 * equal bytes, equal version).
 */
public record Version(byte[] value, byte[] clock) {}
