/**
 * What processes run on, instead of machines: time, chance, network, logs, disks and clocks.
 *
 * <p>Guarantees: one thread, and the same order of events each time. Links keep the order of their
 * messages; logs lose nothing; a commit to disk is whole.
 */
@org.jspecify.annotations.NullMarked
package io.palinode.simulation.environment;
