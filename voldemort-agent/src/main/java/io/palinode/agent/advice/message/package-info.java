/**
 * Code that is copied into the reading and writing of messages, of servers and clients.
 *
 * <p>It names no class of the server, and calls only {@link io.palinode.agent.boot.Hooks}: no other
 * class of the agent is visible there.
 */
@NullMarked
package io.palinode.agent.advice.message;

import org.jspecify.annotations.NullMarked;
