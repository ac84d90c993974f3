/**
 * The node of a Hazelcast member, without Hazelcast's classes.
 *
 * <p>Guarantee: what the node holds of a key, its window-log and its events have one order.
 *
 * <p>Hazard: a change that the member applies and does not announce stays in no window-log. The
 * node then begins its reach again, and its detector publishes a coverage gap.
 */
@NullMarked
package io.palinode.hazelcast.node;

import org.jspecify.annotations.NullMarked;
