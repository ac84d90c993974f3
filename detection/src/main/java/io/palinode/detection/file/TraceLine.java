package io.palinode.detection.file;

import io.palinode.detection.Candidate;
import java.util.Map;

/**
 * A line of a trace.
 *
 * @param binding empty when it names none
 * @param endedBy the version that ended the interval; empty when it names none
 * @param values by key; empty when it names none
 */
public record TraceLine(
    String binding, Candidate candidate, String endedBy, Map<String, String> values) {}
