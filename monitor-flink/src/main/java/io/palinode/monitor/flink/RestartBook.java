package io.palinode.monitor.flink;

import io.palinode.monitor.Notice;
import io.palinode.monitor.Restart;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/** The latest restart of each node on each partition, of the broadcast state. Not thread-safe. */
final class RestartBook {
  /** By {@code <partition>/<node>}. */
  static final MapStateDescriptor<String, Notice> STATE =
      new MapStateDescriptor<>("restarts", Types.STRING, PredicateDeserializer.TYPE);

  private @Nullable Map<Integer, List<Restart>> byPartition;

  void learn(Notice notice, BroadcastState<String, Notice> state) throws Exception {
    String channel = notice.partition() + "/" + notice.node();
    Notice known = state.get(channel);
    if (known == null || known.incarnation() < notice.incarnation()) {
      state.put(channel, notice);
      byPartition = null;
    }
  }

  /** Restarts before which everything has arrived. */
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
      for (Map.Entry<String, Notice> entry : state.immutableEntries()) {
        known
            .computeIfAbsent(entry.getValue().partition(), partition -> new ArrayList<>())
            .add(Restart.of(entry.getValue()));
      }
      byPartition = known;
    }
    return known;
  }
}
