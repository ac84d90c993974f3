package io.palinode.orchestrator.violations;

import com.google.protobuf.ByteString;
import io.palinode.wire.v1.Sequential;
import java.util.List;

/**
 * Keys that clients must use with R + W > N for some time, as a {@code Resume} states. Immutable.
 * Times are wall clocks in microseconds.
 *
 * @param predicate whose rollbacks were too frequent
 * @param binding of the instance whose keys they are; empty: all keys
 * @param keys the keys of the witnesses, then their guards; empty: all keys of all stores
 * @param untilMicros the end, unless a rollback touches the keys before
 * @param holdMicros how long the span lasts after each rollback that touches it
 */
public record SequentialSpan(
    String predicate,
    String binding,
    List<ByteString> keys,
    long sinceMicros,
    long untilMicros,
    long holdMicros) {

  public SequentialSpan {
    keys = List.copyOf(keys);
  }

  public static SequentialSpan of(Sequential record) {
    return new SequentialSpan(
        record.getPredicate(),
        record.getBinding(),
        record.getKeysList(),
        record.getSinceMicros(),
        record.getUntilMicros(),
        record.getHoldMicros());
  }

  public Sequential toProto() {
    return Sequential.newBuilder()
        .setPredicate(predicate)
        .setBinding(binding)
        .addAllKeys(keys)
        .setSinceMicros(sinceMicros)
        .setUntilMicros(untilMicros)
        .setHoldMicros(holdMicros)
        .build();
  }

  public boolean isAll() {
    return keys.isEmpty();
  }

  public boolean isInForce(long nowMicros) {
    return nowMicros < untilMicros;
  }

  /** Whether the span ended so recently that a rollback restores it at once. */
  public boolean isRemembered(long nowMicros) {
    return nowMicros < untilMicros + holdMicros;
  }

  public boolean covers(TouchedInstance touch) {
    return isAll() || keys.containsAll(touch.keys());
  }

  /** After a rollback that touched it while it was in force. */
  public SequentialSpan prolonged(long nowMicros) {
    return new SequentialSpan(
        predicate,
        binding,
        keys,
        sinceMicros,
        Math.max(untilMicros, nowMicros + holdMicros),
        holdMicros);
  }

  /** After a rollback that touched it soon after its end: it lasts twice as long. */
  public SequentialSpan again(long nowMicros, long holdMicrosMax) {
    long longer = Math.min(2 * holdMicros, Math.max(holdMicros, holdMicrosMax));
    return new SequentialSpan(predicate, binding, keys, nowMicros, nowMicros + longer, longer);
  }

  public long bytes() {
    return keys.stream().mapToLong(ByteString::size).sum();
  }
}
