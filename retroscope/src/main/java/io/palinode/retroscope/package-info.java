/**
 * The recent past of a store: a window-log of old values, and differences between times in it. A
 * store of our own appends to a {@link io.palinode.retroscope.WindowLog}; {@link
 * io.palinode.retroscope.Retroscope} is the paper's interface for any other.
 *
 * <p>Guarantees: a time at or after {@link io.palinode.retroscope.WindowLog#reach()} can be
 * restored exactly; a time before it is refused with both times, never restored in part. A diff
 * sees the log as it was when it was asked for, does not hold up appends, and reads no memory that
 * is used again meanwhile.
 *
 * <p>Hazards: the log knows only its appends. A write that is stored but not appended (or appended
 * out of the store's order) makes every later diff across it wrong; so the caller appends under the
 * lock that orders its writes. A difference that leads forward asks the store for values too, and
 * must not be asked for between a write and its append. Without a {@link
 * io.palinode.retroscope.disklog.DiskLog} the log is in memory: after a restart it reaches back to
 * the restart. With one it depends on the owner's session numbers: a store that changed while the
 * log was not open, under the same number, makes it wrong.
 *
 * <p>Charapko et al., "Retrospective Lightweight Distributed Snapshots Using Loosely Synchronized
 * Clocks", ICDCS 2017.
 */
@NullMarked
package io.palinode.retroscope;

import org.jspecify.annotations.NullMarked;
