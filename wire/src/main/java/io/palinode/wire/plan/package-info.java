/**
 * The one interpretation of a plan's records that all readers of the control log share.
 *
 * <p>Promise: all readers derive the same steps from the same log (I24). Pure.
 */
@NullMarked
package io.palinode.wire.plan;

import org.jspecify.annotations.NullMarked;
