package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.FirstReplica;
import io.palinode.detection.search.Finding;
import io.palinode.detection.search.Retained;
import io.palinode.hvc.Hvc;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a detector is made of, for {@link DetectorCodec}.
 *
 * @param latest of each node, null before its first event
 * @param incarnations of each node, 0 before its first event
 * @param retained in the order of clauses, terms, nodes and starts
 * @param rising of some of {@code retained}
 */
record DetectorState(
    long progress,
    long overflowed,
    List<@Nullable Hvc> latest,
    List<Long> incarnations,
    List<Retained> retained,
    List<Finding> rising,
    Map<FirstReplica.Key, Hvc> ends,
    List<Candidate> found) {}
