/**
 * The orchestrator, and the operators that use it: one answers halts and requests, one applies,
 * changes and deletes the predicate.
 */
@org.jspecify.annotations.NullMarked
package io.palinode.simulation.orchestrator;
