package io.palinode.store.past;

import io.palinode.hvc.Hlc;
import java.util.Map;

/**
 * The time up to which writes stand: one cut for all keys, or earlier cuts for some.
 *
 * @param least no cut is before it
 * @param most the cut of keys that are not in {@code earlier}
 * @param earlier by {@link Accesses#keyOf}
 */
public record Cuts(long least, long most, Map<Long, Long> earlier) {
  public Cuts {
    earlier = Map.copyOf(earlier);
    if (most < least) {
      throw new IllegalArgumentException(
          "the cut of most keys must not be before %s: %s"
              .formatted(Hlc.format(least), Hlc.format(most)));
    }
    for (long cut : earlier.values()) {
      if (cut < least) {
        throw new IllegalArgumentException(
            "a key's cut must not be before %s: %s".formatted(Hlc.format(least), Hlc.format(cut)));
      }
    }
  }

  /** One cut for all keys. */
  public static Cuts at(long target) {
    return new Cuts(target, target, Map.of());
  }

  public boolean isOne() {
    return earlier.isEmpty() && least == most;
  }

  /** The cut of a key. */
  public long of(String store, byte[] key) {
    return earlier.isEmpty() ? most : earlier.getOrDefault(Accesses.keyOf(store, key), most);
  }

  /** The cuts of the keys of a store. */
  public Deletes.InStore in(String store) {
    return key -> of(store, key.bytes());
  }
}
