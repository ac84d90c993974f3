/**
 * The running orchestrator: follows the predicates, control and violations logs and runs {@link
 * io.palinode.orchestrator.RollbackMachine} in one thread. It appends the machine's records to the
 * control log.
 *
 * <p>One instance is active per cluster. The hazards of {@link io.palinode.orchestrator} name the
 * effect of two.
 */
@NullMarked
package io.palinode.orchestrator.kafka;

import org.jspecify.annotations.NullMarked;
