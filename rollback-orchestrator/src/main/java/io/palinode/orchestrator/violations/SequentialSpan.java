package io.palinode.orchestrator.violations;

import com.google.protobuf.ByteString;
import io.palinode.wire.v1.Sequential;
import java.util.List;

/**
 * Keys that clients are asked to use with R + W > N for a while, as a {@code Resume} says. Wall
 * clocks are microseconds since the epoch.
 *
 * @param predicate whose rollbacks were too frequent
 * @param binding of the instance whose keys they are; of all keys, empty
 * @param keys the witnesses', then those that guard them; empty: all keys of all stores
 * @param untilMicros then it is over, unless a rollback touches the keys before
 * @param holdMicros so long it lasts after each rollback that touches it
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

  /** Over for no longer than it would have lasted: a rollback brings it back at once. */
  public boolean isRemembered(long nowMicros) {
    return nowMicros < untilMicros + holdMicros;
  }

  public boolean covers(TouchedInstance touch) {
    return isAll() || keys.containsAll(touch.keys());
  }

  /** A rollback has touched it while it was in force. */
  public SequentialSpan prolonged(long nowMicros) {
    return new SequentialSpan(
        predicate,
        binding,
        keys,
        sinceMicros,
        Math.max(untilMicros, nowMicros + holdMicros),
        holdMicros);
  }

  /** A rollback has touched it soon after it was over. */
  public SequentialSpan again(long nowMicros, long holdMicrosMax) {
    long longer = Math.min(2 * holdMicros, Math.max(holdMicros, holdMicrosMax));
    return new SequentialSpan(predicate, binding, keys, nowMicros, nowMicros + longer, longer);
  }

  public long bytes() {
    return keys.stream().mapToLong(ByteString::size).sum();
  }
}
