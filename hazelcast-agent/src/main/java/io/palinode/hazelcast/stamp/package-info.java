/**
 * The clock that a member's operations and responses carry to other members. Once a member has
 * received a packet, each change that it stamps is after all changes that the sender had stamped
 * when it made the packet. Clients of Hazelcast carry no clock. Reads no physical clock itself.
 */
@NullMarked
package io.palinode.hazelcast.stamp;

import org.jspecify.annotations.NullMarked;
