/**
 * The invariants of a run, checked from outside: slow and obvious, and written without the
 * code that is checked. The checks know nothing of how the world is simulated.
 */
@org.jspecify.annotations.NullMarked
package io.palinode.simulation.check;
