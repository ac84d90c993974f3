/** A node's part in snapshots: the duties of the control log, and its answers. Pure. */
@NullMarked
package io.palinode.store.snapshot;

import org.jspecify.annotations.NullMarked;
