/**
 * The epoch, clock and safe point of a client, and the exceptions that end its calls.
 *
 * <p>Guarantee: each call that was under way when its epoch ended throws {@link
 * io.palinode.voldemort.client.session.RolledBackException}, or the next call throws it.
 */
@NullMarked
package io.palinode.voldemort.client.session;

import org.jspecify.annotations.NullMarked;
