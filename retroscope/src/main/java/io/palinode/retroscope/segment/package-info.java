/**
 * Segments of a window-log: entries as bytes outside the heap, with numbers for keys (ADR 0008).
 *
 * <p>Hazard: the owner of a segment guards it. Only {@link io.palinode.retroscope.segment.Cursor}
 * reads a pinned segment without the log's lock.
 */
@NullMarked
package io.palinode.retroscope.segment;

import org.jspecify.annotations.NullMarked;
