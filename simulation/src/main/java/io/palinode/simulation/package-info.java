/**
 * Whole clusters in virtual time, in one thread, with a faulty network and bad clocks: one seed is
 * one run, and the same run each time. What decides is the code that runs in production; what
 * carries messages, time and bytes is simulated (docs/develop/simulator.md says which is which).
 *
 * <p>Assumptions: what is simulated of a shell does what the shell does. Guarantees: equal seed,
 * faults and seams give equal runs, on any machine; a run ends.
 */
@org.jspecify.annotations.NullMarked
package io.palinode.simulation;
