/**
 * The running orchestrator: it tails the predicates, control and violations logs, runs {@link
 * io.palinode.orchestrator.RollbackMachine} in one thread, and writes what it decides to the
 * control log.
 *
 * <p>One instance is to be active on a cluster. See the hazards of {@link io.palinode.orchestrator}
 * for what two of them do.
 */
@NullMarked
package io.palinode.orchestrator.kafka;

import org.jspecify.annotations.NullMarked;
