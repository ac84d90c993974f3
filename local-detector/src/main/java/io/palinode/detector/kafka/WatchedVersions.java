package io.palinode.detector.kafka;

import io.palinode.detector.binding.ControlLog;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Watching;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Publishes in the control log the version of each predicate that this node watches. */
final class WatchedVersions {
  private final int node;
  private final long incarnation;
  private final LongSupplier epochMicros;
  private final ControlLog log;
  private final Map<String, Long> published = new HashMap<>();

  WatchedVersions(int node, long incarnation, LongSupplier epochMicros, ControlLog log) {
    this.node = node;
    this.incarnation = incarnation;
    this.epochMicros = epochMicros;
    this.log = log;
  }

  /** Whether all these versions were published. */
  boolean has(Map<String, Long> versions) {
    return published.entrySet().containsAll(versions.entrySet());
  }

  /** Publishes new versions. If {@link ControlLog#append} throws, call this again. */
  void publish(Map<String, Long> versions) {
    List<ControlRecord> news = new ArrayList<>();
    versions.forEach(
        (predicate, version) -> {
          if (!version.equals(published.get(predicate))) {
            news.add(record(predicate, version));
          }
        });
    log.append(news);
    published.putAll(versions);
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
