/** Store nodes and what watches them, put together in one process. */
@NullMarked
package io.palinode.launcher;

import org.jspecify.annotations.NullMarked;
