package io.palinode.orchestrator.health;

import org.jspecify.annotations.Nullable;

/**
 * A part of the orchestrator's process that has failed and does not run.
 *
 * @param name such as {@code the detection job}
 * @param node the store node that it belongs to; null: none
 * @param sinceMicros when the failure was found, wall clock
 * @param reason why it failed, and whether it restarts
 */
public record FailedPart(String name, @Nullable Integer node, long sinceMicros, String reason) {}
