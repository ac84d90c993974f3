package io.palinode.monitor.flink.detection;

import io.palinode.detection.DetectionSpec;
import io.palinode.monitor.Channel;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Search;
import io.palinode.monitor.instance.Instance;
import io.palinode.monitor.instance.MissedSpans;
import io.palinode.wire.v1.CoverageLost;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/**
 * The latest coverage gaps of each node on each partition, of the broadcast state, for instances of
 * {@code within}. Not thread-safe.
 */
final class GapBook {
  /** {@link MissedSpans} by {@code <partition>/<node>}. */
  static final MapStateDescriptor<String, byte[]> STATE =
      new MapStateDescriptor<>(
          "gaps", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

  private @Nullable Map<Channel, MissedSpans> byChannel;

  void learn(Notice lost, BroadcastState<String, byte[]> state) throws Exception {
    CoverageLost loss = CoverageLost.parseFrom(lost.body());
    put(
        lost.sender().channel(),
        of(lost.sender().channel(), state).missed(loss.getFromHlc(), loss.getToHlc()),
        state);
  }

  /** The node has published all that holds there. */
  void learn(Search search, BroadcastState<String, byte[]> state) throws Exception {
    Channel channel = search.sender().channel();
    MissedSpans known = of(channel, state);
    if (!known.spans().isEmpty()) {
      put(channel, known.published(search.at().own()), state);
    }
  }

  private void put(Channel channel, MissedSpans spans, BroadcastState<String, byte[]> state)
      throws Exception {
    state.put(channel.toString(), spans.encode());
    byChannel = null;
  }

  /** Passes gaps to an instance of {@code within}; see {@link MissedSpans#pass}. */
  void pass(
      Instance instance, DetectionSpec spec, long hlc, ReadOnlyBroadcastState<String, byte[]> state)
      throws Exception {
    for (Map.Entry<Channel, MissedSpans> entry : read(state).entrySet()) {
      if (entry.getKey().partition() == instance.partition()) {
        entry.getValue().pass(entry.getKey().node(), instance, spec, hlc);
      }
    }
  }

  private MissedSpans of(Channel channel, ReadOnlyBroadcastState<String, byte[]> state)
      throws Exception {
    return read(state).getOrDefault(channel, MissedSpans.NONE);
  }

  private Map<Channel, MissedSpans> read(ReadOnlyBroadcastState<String, byte[]> state)
      throws Exception {
    Map<Channel, MissedSpans> known = byChannel;
    if (known == null) {
      known = new HashMap<>();
      for (Map.Entry<String, byte[]> entry : state.immutableEntries()) {
        known.put(Channel.parse(entry.getKey()), MissedSpans.decode(entry.getValue()));
      }
      byChannel = known;
    }
    return known;
  }
}
