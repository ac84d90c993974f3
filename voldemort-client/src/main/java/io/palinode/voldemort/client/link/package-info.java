/**
 * The connections of a client to its nodes: requests, how their answers are read, and in which
 * order they travel.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>The requests of one key to one node arrive in the order in which a thread sent them, as
 *       long as the connection stands.
 *   <li>Each request ends within the request timeout.
 *   <li>The answer of another epoch never completes a request.
 * </ul>
 */
@NullMarked
package io.palinode.voldemort.client.link;

import org.jspecify.annotations.NullMarked;
