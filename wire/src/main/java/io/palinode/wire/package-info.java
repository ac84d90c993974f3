/** Messages, topics and serdes. */
@NullMarked
package io.palinode.wire;

import org.jspecify.annotations.NullMarked;
