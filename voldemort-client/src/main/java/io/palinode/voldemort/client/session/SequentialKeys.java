package io.palinode.voldemort.client.session;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.palinode.voldemort.protocol.Pb0;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The keys that a cluster asks its clients to use with R + W > N, because rollbacks that touched
 * them were too frequent. Immutable. Wall clocks are microseconds since the epoch.
 *
 * @param allUntilMicros until when that is all keys; 0: never was
 * @param untilMicros of some keys, whatever their store
 * @param lastMicros when the last of all this is over
 */
public record SequentialKeys(
    long allUntilMicros, Map<ByteString, Long> untilMicros, long lastMicros) {
  public static final SequentialKeys NONE = new SequentialKeys(0, Map.of(), 0);

  public SequentialKeys {
    untilMicros = Map.copyOf(untilMicros);
  }

  static SequentialKeys of(long allUntilMicros, List<Pb0.SequentialKeys> spans) {
    if (allUntilMicros == 0 && spans.isEmpty()) {
      return NONE;
    }
    Map<ByteString, Long> until = new HashMap<>();
    long last = allUntilMicros;
    for (Pb0.SequentialKeys span : spans) {
      last = Math.max(last, span.getUntilMicros());
      span.getKeysList().forEach(key -> until.merge(key, span.getUntilMicros(), Math::max));
    }
    return new SequentialKeys(allUntilMicros, until, last);
  }

  /** Whether the key is to be used so at this time. Costs nothing when no key is. */
  public boolean covers(byte[] key, long nowMicros) {
    if (nowMicros >= lastMicros) {
      return false;
    }
    if (nowMicros < allUntilMicros) {
      return true;
    }
    Long until = untilMicros.get(UnsafeByteOperations.unsafeWrap(key));
    return until != null && nowMicros < until;
  }
}
