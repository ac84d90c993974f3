/**
 * Networks between clients and nodes that live on one machine.
 *
 * <p>Guarantees: messages of one client, node and direction arrive in the order in which they were
 * sent, each no earlier than its delay. The client's transport relies on the order.
 *
 * <p>Hazards: deliveries of all links run on one timer thread, so they must not block. On a loaded
 * machine they are late; they are never early.
 */
@NullMarked
package io.palinode.examples.graph.net;

import org.jspecify.annotations.NullMarked;
