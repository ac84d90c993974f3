package io.palinode.monitor.flink.detection;

import io.palinode.monitor.Notice;
import io.palinode.monitor.Search;
import io.palinode.monitor.flink.NoticeSerializer;
import io.palinode.monitor.instance.Instance;
import io.palinode.wire.v1.IntervalRef;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/**
 * The latest search of each predicate that compares replicas or has {@code within}, partition and
 * node, of the broadcast state. Not thread-safe.
 */
final class SearchBook {
  /** By {@code <partition>/<node>/<predicate>}. */
  static final MapStateDescriptor<String, Notice> STATE =
      new MapStateDescriptor<>("searches", Types.STRING, NoticeSerializer.TYPE);

  private @Nullable Map<String, List<Search>> byPredicate;

  /** Of one predicate; of more, the two oldest become one, which concerns more instances. */
  static final int REFUSED_MAX = 8;

  /** By predicate: the newest versions and epochs of candidates that were refused. */
  private final Map<String, List<Refused>> refused = new HashMap<>();

  /** Part of checkpoints, as {@code <epoch>/<version>/<predicate>}. */
  private record Refused(long epoch, long version) {
    Refused and(Refused other) {
      return new Refused(Math.max(epoch, other.epoch), Math.max(version, other.version));
    }

    boolean covers(Refused other) {
      return epoch >= other.epoch && version >= other.version;
    }

    boolean mayConcern(Instance instance) {
      return epoch >= instance.epoch() && version >= instance.predicateVersion();
    }
  }

  void restore(Iterable<String> saved) {
    for (String text : saved) {
      String[] parts = text.split("/", 3);
      refuse(parts[2], new Refused(Long.parseLong(parts[0]), Long.parseLong(parts[1])));
    }
  }

  List<String> saved() {
    List<String> all = new ArrayList<>();
    refused.forEach(
        (name, each) -> each.forEach(of -> all.add(of.epoch() + "/" + of.version() + "/" + name)));
    return all;
  }

  /** Each progress repeats the search; the first one counts. */
  void learn(Notice notice, BroadcastState<String, Notice> state) throws Exception {
    Search search = Search.of(notice);
    String key = search.sender().channel() + "/" + search.predicate();
    Notice known = state.get(key);
    if (known == null || search.isNewerThan(Search.of(known))) {
      state.put(key, notice);
      byPredicate = null;
    }
  }

  /** A candidate was dropped: there was no room for its instance, or it could not be used. */
  void refused(IntervalRef interval, long epoch) {
    refuse(interval.getPredicate(), new Refused(epoch, interval.getPredicateVersion()));
  }

  private void refuse(String predicate, Refused more) {
    List<Refused> known = refused.computeIfAbsent(predicate, name -> new ArrayList<>(1));
    if (known.stream().noneMatch(of -> of.covers(more))) {
      known.removeIf(more::covers);
      known.add(more);
      known.sort(Comparator.comparingLong(Refused::epoch));
    }
    if (known.size() > REFUSED_MAX) {
      known.set(0, known.get(0).and(known.remove(1)));
    }
  }

  /** A new or restored instance, of which earlier candidates may have been refused. */
  void begun(String predicate, Instance instance) {
    if (refused.getOrDefault(predicate, List.of()).stream()
        .anyMatch(of -> of.mayConcern(instance))) {
      instance.distrustSearches();
    }
  }

  /**
   * Passes the known searches to an instance; most predicates have none.
   *
   * @param upTo a later one is not passed: events before it are not applied yet
   */
  void pass(
      String predicate, Instance instance, long upTo, ReadOnlyBroadcastState<String, Notice> state)
      throws Exception {
    if (instance.distrustsSearches()) {
      return;
    }
    for (Search search : read(state).getOrDefault(predicate, List.of())) {
      if (search.sender().channel().partition() == instance.partition()
          && search.version() == instance.predicateVersion()
          && search.sender().epoch() == instance.epoch()
          && search.at().own() <= upTo) {
        instance.searched(search);
      }
    }
  }

  private Map<String, List<Search>> read(ReadOnlyBroadcastState<String, Notice> state)
      throws Exception {
    Map<String, List<Search>> known = byPredicate;
    if (known == null) {
      known = new HashMap<>();
      for (Map.Entry<String, Notice> entry : state.immutableEntries()) {
        Search search = Search.of(entry.getValue());
        known.computeIfAbsent(search.predicate(), name -> new ArrayList<>()).add(search);
      }
      byPredicate = known;
    }
    return known;
  }
}
