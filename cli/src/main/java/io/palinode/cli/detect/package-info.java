/**
 * {@code palinode detect}: detection offline, on a recorded trace. The reading and writing around
 * {@link io.palinode.detection.trace.TraceDetector}.
 *
 * <p>What is not a trace is refused with its line number and the reason; nothing is skipped or
 * mended. How lines of different nodes are interleaved does not change what is printed.
 */
@NullMarked
package io.palinode.cli.detect;

import org.jspecify.annotations.NullMarked;
