package io.palinode.cli.detect;

import io.palinode.detection.Candidate;
import java.util.List;
import java.util.SortedMap;

/**
 * A recorded trace.
 *
 * @param nodes entries of each clock; 0 when there is no line
 * @param instances candidates by binding, the empty one for lines without
 */
record Trace(int nodes, SortedMap<String, List<Candidate>> instances) {}
