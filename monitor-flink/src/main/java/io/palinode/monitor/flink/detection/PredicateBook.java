package io.palinode.monitor.flink.detection;

import io.palinode.hvc.Epsilon;
import io.palinode.monitor.Notice;
import io.palinode.monitor.instance.ActivePredicate;
import io.palinode.predicate.text.PredicateException;
import io.palinode.wire.v1.PredicateRecord;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The predicates of the broadcast state, parsed once a version. Not thread-safe. */
final class PredicateBook {
  /** Predicate records by name, the newest version of each, including deleted ones. */
  static final MapStateDescriptor<String, byte[]> STATE =
      new MapStateDescriptor<>(
          "predicates", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

  private static final Logger LOG = LoggerFactory.getLogger(PredicateBook.class);

  private final int nodes;
  private final Epsilon epsilon;
  private final Map<String, ActivePredicate> parsed = new HashMap<>();

  PredicateBook(int nodes, Epsilon epsilon) {
    this.nodes = nodes;
    this.epsilon = epsilon;
  }

  /** The newest known version of a predicate; null when none is known. */
  @Nullable ActivePredicate get(String name, ReadOnlyBroadcastState<String, byte[]> state)
      throws Exception {
    ActivePredicate known = parsed.get(name);
    byte[] record = known == null ? state.get(name) : null;
    if (record == null) {
      return known;
    }
    ActivePredicate read = read(record);
    parsed.put(name, read);
    return read;
  }

  /** Takes up a predicate unless this version, or a newer one, is known; what it took up. */
  @Nullable PredicateRecord learn(Notice notice, BroadcastState<String, byte[]> state)
      throws Exception {
    PredicateRecord record = ActivePredicate.decode(notice.body());
    ActivePredicate known = get(record.getName(), state);
    if (known == null || known.version() < record.getVersion()) {
      state.put(record.getName(), notice.body());
      parsed.put(record.getName(), read(notice.body()));
      return record;
    }
    return null;
  }

  /** A predicate that cannot be read was refused long before it came here; if not, it is off. */
  private ActivePredicate read(byte[] bytes) {
    try {
      return ActivePredicate.of(bytes, nodes, epsilon);
    } catch (IllegalArgumentException | PredicateException e) {
      PredicateRecord record = ActivePredicate.decode(bytes);
      LOG.error(
          "predicate={} version={} is not watched, it cannot be read: {}",
          record.getName(),
          record.getVersion(),
          e.getMessage());
      return ActivePredicate.deleted(record.getName(), record.getVersion());
    }
  }
}
