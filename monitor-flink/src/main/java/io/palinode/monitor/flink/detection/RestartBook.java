package io.palinode.monitor.flink.detection;

import io.palinode.monitor.Notice;
import io.palinode.monitor.Restart;
import io.palinode.monitor.flink.NoticeSerializer;
import java.util.ArrayList;
import java.util.Collections;
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
 * The latest restarts of each node on each partition, of the broadcast state. An instance may see
 * no event between two of them, and intervals that the first incarnation opened end with it. Not
 * thread-safe.
 */
final class RestartBook {
  /** Of one node on one partition. */
  static final int KEPT_MAX = 16;

  /** By {@code <partition>/<node>/<incarnation>}. */
  static final MapStateDescriptor<String, Notice> STATE =
      new MapStateDescriptor<>("restarts", Types.STRING, NoticeSerializer.TYPE);

  private static final Comparator<Notice> BY_INCARNATION =
      Comparator.comparingLong(notice -> notice.sender().incarnation());

  private @Nullable Map<Integer, List<Restart>> byPartition;

  void learn(Notice notice, BroadcastState<String, Notice> state) throws Exception {
    state.put(key(notice), notice);
    byPartition = null;
    List<Notice> known = new ArrayList<>();
    for (Map.Entry<String, Notice> entry : state.immutableEntries()) {
      Notice other = entry.getValue();
      if (other.sender().channel().equals(notice.sender().channel())) {
        known.add(other);
      }
    }
    if (known.size() > KEPT_MAX) {
      state.remove(key(Collections.min(known, BY_INCARNATION)));
    }
  }

  private static String key(Notice restart) {
    return restart.sender().channel() + "/" + restart.sender().incarnation();
  }

  /** Restarts before which everything has arrived, each node's in their order. */
  List<Restart> passed(int partition, long watermark, ReadOnlyBroadcastState<String, Notice> state)
      throws Exception {
    List<Restart> all = read(state).getOrDefault(partition, List.of());
    return all.isEmpty()
        ? all
        : all.stream().filter(restart -> restart.isPassed(watermark)).toList();
  }

  private Map<Integer, List<Restart>> read(ReadOnlyBroadcastState<String, Notice> state)
      throws Exception {
    Map<Integer, List<Restart>> known = byPartition;
    if (known == null) {
      known = new HashMap<>();
      List<Notice> restarts = new ArrayList<>();
      state.immutableEntries().forEach(entry -> restarts.add(entry.getValue()));
      restarts.sort(BY_INCARNATION);
      for (Notice restart : restarts) {
        known
            .computeIfAbsent(restart.partition(), partition -> new ArrayList<>())
            .add(Restart.of(restart));
      }
      byPartition = known;
    }
    return known;
  }
}
