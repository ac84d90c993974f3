/**
 * Code that is copied into Voldemort's Java client.
 *
 * <p>It names no class of the server, and calls only {@link io.palinode.agent.boot.Hooks}: no other
 * class of the agent is visible there.
 */
@NullMarked
package io.palinode.agent.advice.client;

import org.jspecify.annotations.NullMarked;
