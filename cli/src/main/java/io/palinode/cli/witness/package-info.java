/**
 * What people do with a violation that was found: check it again, and look at it elsewhere. The
 * reading and writing around {@link io.palinode.detection.witness}.
 */
@NullMarked
package io.palinode.cli.witness;

import org.jspecify.annotations.NullMarked;
