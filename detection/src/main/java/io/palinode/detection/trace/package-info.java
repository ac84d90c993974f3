/** Detection over a recorded trace, which is complete and is read in one pass. Pure. */
@NullMarked
package io.palinode.detection.trace;

import org.jspecify.annotations.NullMarked;
