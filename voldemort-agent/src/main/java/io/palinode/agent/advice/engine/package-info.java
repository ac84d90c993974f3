/**
 * Code that is copied into the server's storage engines and its storage service.
 *
 * <p>It names no class of the server, and calls only {@link io.palinode.agent.boot.Hooks}: no other
 * class of the agent is visible there.
 */
@NullMarked
package io.palinode.agent.advice.engine;

import org.jspecify.annotations.NullMarked;
