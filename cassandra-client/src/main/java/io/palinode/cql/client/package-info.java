/**
 * A session of Apache Cassandra's Java driver whose requests carry an epoch and a clock.
 *
 * <p>Guarantee: if a rollback ended the epoch of a request, the request is refused, and the session
 * throws {@link io.palinode.cql.client.RolledBackException} or sends it again, as the program
 * chose. Hazard: one session is one client. What one thread has read before a rollback, another
 * thread of the same session may write after it.
 */
@NullMarked
package io.palinode.cql.client;

import org.jspecify.annotations.NullMarked;
