/**
 * What really happened in a run, by the one clock that all clients of a process share, and how well
 * a detector's reports match it.
 *
 * <p>Each client logs, around each write of a section's cell, when it called and when the call
 * returned. The value was surely there from the return on, and perhaps from the call on; so each
 * span has a sure and a possible extent, and each question is answered on the side that is safe:
 * what counts as a violation that must be found overlaps surely; a report is false only when there
 * was not even a possible overlap.
 *
 * <p>Guarantees: {@link Truth} uses neither hybrid clocks nor the detection's rules to decide, so
 * it can judge them; hybrid timestamps serve to name spans only.
 *
 * <p>Hazards: all clients must live in one process, or their clocks do not compare. A log that is
 * full ({@link SectionLog#dropped}) makes the truth incomplete.
 */
@NullMarked
package io.palinode.examples.graph.truth;

import org.jspecify.annotations.NullMarked;
