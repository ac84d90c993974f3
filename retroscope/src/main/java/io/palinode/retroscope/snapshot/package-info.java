/** A store as it was: reads of any time in reach. */
@NullMarked
package io.palinode.retroscope.snapshot;

import org.jspecify.annotations.NullMarked;
