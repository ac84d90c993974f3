/** Window-log, differences and temporal reads. */
@NullMarked
package io.palinode.retroscope;

import org.jspecify.annotations.NullMarked;
