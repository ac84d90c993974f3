/**
 * What the requests of Voldemort's protocols do at a node, and how they are answered or refused.
 *
 * <p>Guarantees: each request has an answer of its type; a bug in one becomes a refusal. A request
 * that reads much or waits for other nodes is known before it runs, so that a server can run it
 * elsewhere. Only {@link io.palinode.voldemort.request.Routing} has threads.
 */
@NullMarked
package io.palinode.voldemort.request;

import org.jspecify.annotations.NullMarked;
