package io.palinode.detector.kafka;

import io.palinode.wire.CandidateRecords;
import java.util.function.ToIntFunction;

/** The partition of a predicate instance {@code <predicate>|<binding>}, among so many. */
record CandidatePartitions(int count) implements ToIntFunction<String> {
  CandidatePartitions {
    if (count < 1) {
      throw new IllegalArgumentException("a topic has at least one partition: count=" + count);
    }
  }

  @Override
  public int applyAsInt(String instance) {
    return CandidateRecords.partition(CandidateRecords.keyBytes(instance), count);
  }
}
