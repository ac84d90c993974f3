/**
 * Signatures of the orchestrators' records in the control log (ADR 0043).
 *
 * <p>Guarantees: a reader with {@link io.palinode.wire.signing.DecisionKeys} accepts a decision
 * only if an orchestrator with one of the keys has signed it, in this topic and with this Kafka
 * key, and only once. All readers with the same keys accept the same records.
 *
 * <p>Hazards: readers with different keys derive different states.
 */
@NullMarked
package io.palinode.wire.signing;

import org.jspecify.annotations.NullMarked;
