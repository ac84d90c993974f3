/** All of the agent that the member's own class loader sees. Uses the JDK alone. */
@NullMarked
package io.palinode.hazelcast.boot;

import org.jspecify.annotations.NullMarked;
