package io.palinode.detector;

/** A key of a store, as bytes. */
public record StoreKey(String store, byte[] key) {}
