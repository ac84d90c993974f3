/**
 * What must hold of a run, told by those who look on: slow and obvious, and written without the
 * code that is checked. The checks know nothing of how the world is simulated.
 */
@org.jspecify.annotations.NullMarked
package io.palinode.simulation.check;
