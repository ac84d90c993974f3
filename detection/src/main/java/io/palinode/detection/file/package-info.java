/**
 * A trace as a file: reads its lines, sorts them in bounded memory, and judges each instance with
 * {@link io.palinode.detection.trace.TraceDetector}.
 *
 * <p>What is not a trace is refused with its line number and the reason; nothing is skipped or
 * corrected. How lines of different nodes are interleaved does not change the violations.
 */
@NullMarked
package io.palinode.detection.file;

import org.jspecify.annotations.NullMarked;
