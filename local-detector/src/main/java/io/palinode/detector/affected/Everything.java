package io.palinode.detector.affected;

/**
 * All that was written after the target: less cannot be told, or is hardly less.
 *
 * @param reason for people
 */
public record Everything(String reason) implements Extent {}
