package io.palinode.detector.kafka;

import io.palinode.detector.ControlLog;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Watching;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Tells the control log which version of each predicate this node looks for. For one thread. */
final class WatchedVersions {
  private final int node;
  private final long incarnation;
  private final LongSupplier epochMicros;
  private final ControlLog log;
  private final Map<String, Long> told = new HashMap<>();

  WatchedVersions(int node, long incarnation, LongSupplier epochMicros, ControlLog log) {
    this.node = node;
    this.incarnation = incarnation;
    this.epochMicros = epochMicros;
    this.log = log;
  }

  /** Whether all of this was told. */
  boolean has(Map<String, Long> versions) {
    return told.entrySet().containsAll(versions.entrySet());
  }

  /** Tells what is new; throws as {@link ControlLog#append}, and is to be called again then. */
  void tell(Map<String, Long> versions) {
    List<ControlRecord> news = new ArrayList<>();
    versions.forEach(
        (predicate, version) -> {
          if (!version.equals(told.get(predicate))) {
            news.add(record(predicate, version));
          }
        });
    log.append(news);
    told.putAll(versions);
  }

  private ControlRecord record(String predicate, long version) {
    return ControlRecord.newBuilder()
        .setAtMicros(epochMicros.getAsLong())
        .setWatching(
            Watching.newBuilder()
                .setNode(node)
                .setIncarnation(incarnation)
                .setPredicate(predicate)
                .setVersion(version))
        .build();
  }
}
