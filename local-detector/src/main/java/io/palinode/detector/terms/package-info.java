/**
 * Which terms a key concerns, which of them hold on its versions, and the open intervals.
 *
 * <p>Promise: a look-up of a key that no term names allocates nothing.
 */
@NullMarked
package io.palinode.detector.terms;

import org.jspecify.annotations.NullMarked;
