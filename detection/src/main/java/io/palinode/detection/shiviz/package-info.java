/** Intervals of a violation, or of a trace, as a log for the viewer ShiViz. Pure. */
@NullMarked
package io.palinode.detection.shiviz;

import org.jspecify.annotations.NullMarked;
