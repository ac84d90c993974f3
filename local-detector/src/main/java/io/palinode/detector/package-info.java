/** Watches the writes of one node, and does the node's side of the rollback protocol. */
@NullMarked
package io.palinode.detector;

import org.jspecify.annotations.NullMarked;
