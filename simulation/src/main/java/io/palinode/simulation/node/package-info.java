/**
 * The process of a node, and its machine. Store node, detector and control duties are production's;
 * the threads around them are simulated, and each commit is passed to the checks.
 */
@org.jspecify.annotations.NullMarked
package io.palinode.simulation.node;
