/**
 * What the server's own class loader sees of the agent: where its woven methods call, and what
 * starts the rest. It needs nothing but the JDK; all else is in {@link
 * io.palinode.agent.boot.AgentLoader}.
 */
@NullMarked
package io.palinode.agent.boot;

import org.jspecify.annotations.NullMarked;
