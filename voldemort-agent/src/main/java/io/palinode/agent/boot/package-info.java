/**
 * The part of the agent in the server's class loader: the entry points of woven methods, and the
 * start. Needs only the JDK and {@link io.palinode.loader.NestedJarLoader}, which has all other
 * classes.
 */
@NullMarked
package io.palinode.agent.boot;

import org.jspecify.annotations.NullMarked;
