/**
 * Voldemort's native protocols, vp0 to vp3, as bytes: requests in, answers out. Pure.
 *
 * <p>Guarantees: nothing is allocated for a length before the bytes that it announces are there; a
 * request is found whole however its bytes are cut into pieces, and however many follow it.
 *
 * <p>Hazard: these protocols have no field for what rides along with pb0 (clock, epoch, client),
 * and no room for one. Whoever speaks them is stamped by the node alone.
 */
@NullMarked
package io.palinode.voldemort.vp;

import org.jspecify.annotations.NullMarked;
