/**
 * Programs that write, read and delete keys, and receive rollbacks. What a client knows of epochs
 * is production's; calls and connections are simulated.
 */
@org.jspecify.annotations.NullMarked
package io.palinode.simulation.client;
