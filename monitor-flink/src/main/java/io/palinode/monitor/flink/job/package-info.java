/**
 * The Flink job: Kafka in, detection keyed by predicate instance, Kafka out.
 *
 * <pre>
 * candidates ─▶ sequence ──key──▶ detection ─▶ judged ─▶ violations
 *                  │                 ▲
 *                  └─notices─┐       │ broadcast
 * predicates ────────────────┴───────┘
 * </pre>
 *
 * <p>Event time is the HLC itself. Both ways from {@code sequence} to {@code detection} carry the
 * watermarks, and detection's own is the least of the two: so at watermark W it has every event and
 * every notice at or before W, whichever way was faster.
 *
 * <p>Guarantees: a violation with {@code violate <= W} stands before {@code Judged(W)} in the one
 * partition of the violations' topic: detection fires its timers up to W before it forwards W, a
 * watermark overtakes no record, and one subtask writes; the operator publishes W when the
 * watermark is past it. State is exactly once, output at least once.
 *
 * <p>Hazards: after a failure the job repeats what it published since its last checkpoint, {@code
 * Judged} included, which then seems to go back; consumers keep the greatest.
 */
@NullMarked
package io.palinode.monitor.flink.job;

import org.jspecify.annotations.NullMarked;
