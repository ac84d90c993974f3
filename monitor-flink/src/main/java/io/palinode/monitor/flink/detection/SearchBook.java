package io.palinode.monitor.flink.detection;

import io.palinode.monitor.Notice;
import io.palinode.monitor.Search;
import io.palinode.monitor.flink.NoticeSerializer;
import io.palinode.monitor.instance.Instance;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/**
 * The latest search of each predicate that compares replicas, partition and node, of the broadcast
 * state. Not thread-safe.
 */
final class SearchBook {
  /** By {@code <partition>/<node>/<predicate>}. */
  static final MapStateDescriptor<String, Notice> STATE =
      new MapStateDescriptor<>("searches", Types.STRING, NoticeSerializer.TYPE);

  private @Nullable Map<String, List<Search>> byPredicate;

  /**
   * The newest epoch in which no room was left for an instance of a predicate; in no checkpoint.
   */
  private final Map<String, Long> refusedIn = new HashMap<>();

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

  /** An instance was refused for lack of room, so the candidates of its node were dropped. */
  void refused(String predicate, long epoch) {
    refusedIn.merge(predicate, epoch, Math::max);
  }

  /** A new instance, of which earlier candidates may have been refused. */
  void begun(String predicate, Instance instance) {
    if (refusedIn.getOrDefault(predicate, Long.MIN_VALUE) >= instance.epoch()) {
      instance.distrustSearches();
    }
  }

  /** Passes the known searches to an instance; none names a predicate that compares no replicas. */
  void pass(String predicate, Instance instance, ReadOnlyBroadcastState<String, Notice> state)
      throws Exception {
    if (instance.distrustsSearches()) {
      return;
    }
    for (Search search : read(state).getOrDefault(predicate, List.of())) {
      if (search.sender().channel().partition() == instance.partition()
          && search.version() == instance.predicateVersion()
          && search.sender().epoch() == instance.epoch()) {
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
