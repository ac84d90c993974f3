/**
 * Every order in which the parts of a small cluster can act in a rollback. The orchestrator's
 * machine, the nodes' control and its execution, and the client's view of epochs are production's;
 * the store and the clock are as small as they can be, for a state must be copied and compared.
 */
@org.jspecify.annotations.NullMarked
package io.palinode.simulation.exhaustive;
