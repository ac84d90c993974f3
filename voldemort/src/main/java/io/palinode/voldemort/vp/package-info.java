/**
 * Voldemort's native protocols, vp0 to vp3, as bytes: requests in, answers out. Pure.
 *
 * <p>Guarantees: a length allocates nothing before its bytes arrive. A request is found however its
 * bytes are split, and however many bytes follow it.
 *
 * <p>Hazard: these protocols have no field for a context (clock, epoch, client). Only the node's
 * clock stamps their writes.
 */
@NullMarked
package io.palinode.voldemort.vp;

import org.jspecify.annotations.NullMarked;
