package io.palinode.store.affected;

/**
 * All writes after the target: a smaller set is unknown, or hardly smaller.
 *
 * @param reason for people
 */
public record Everything(String reason) implements Extent {}
