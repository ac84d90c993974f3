/**
 * The agent in a Hazelcast member: a node of Palinode that watches its maps (ADR 0067).
 *
 * <p>Guarantee: no failure and no wait of the agent breaks or delays an operation of a map, except
 * for the node's own short locks.
 */
@NullMarked
package io.palinode.hazelcast;

import org.jspecify.annotations.NullMarked;
