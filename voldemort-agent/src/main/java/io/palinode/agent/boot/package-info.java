/**
 * The part of the agent in the server's class loader: the entry points of woven methods, and the
 * start. Needs only the JDK; all other classes are in {@link io.palinode.agent.boot.AgentLoader}.
 */
@NullMarked
package io.palinode.agent.boot;

import org.jspecify.annotations.NullMarked;
