package io.palinode.hazelcast.record;

/**
 * The value of an entry.
 *
 * @param bytes as predicates compare it
 */
public record EntryValue(byte[] bytes, EntryForm form) {}
