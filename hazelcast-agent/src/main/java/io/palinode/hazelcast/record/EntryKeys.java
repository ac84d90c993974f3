package io.palinode.hazelcast.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.detector.binding.StoreKey;
import java.util.Arrays;

/**
 * The key of an entry as predicates name it: {@code map/key}. A {@code /} in either part is {@code
 * %2F}, a {@code %} is {@code %25}.
 */
public final class EntryKeys {
  /** The store of all keys: a key names its map. */
  public static final String STORE = "hazelcast";

  private static final String SEPARATOR = "/";

  private EntryKeys() {}

  /** The beginning of all keys of a map, in UTF-8. */
  public static byte[] ofMap(String map) {
    return (escaped(map) + SEPARATOR).getBytes(UTF_8);
  }

  /**
   * The key of an entry.
   *
   * @param map the result of {@link #ofMap}
   * @param key its text, in UTF-8
   */
  public static StoreKey of(byte[] map, byte[] key) {
    byte[] part = isPlain(key) ? key : escaped(new String(key, UTF_8)).getBytes(UTF_8);
    byte[] whole = Arrays.copyOf(map, map.length + part.length);
    System.arraycopy(part, 0, whole, map.length, part.length);
    return new StoreKey(STORE, whole);
  }

  /** The key of an entry of the map with this name. */
  public static StoreKey of(String map, String key) {
    return of(ofMap(map), key.getBytes(UTF_8));
  }

  private static boolean isPlain(byte[] key) {
    for (byte each : key) {
      if (each == '%' || each == '/') {
        return false;
      }
    }
    return true;
  }

  /** The map of a key. */
  public static String map(StoreKey key) {
    String whole = new String(key.key(), UTF_8);
    return unescaped(whole.substring(0, whole.indexOf(SEPARATOR)));
  }

  /** The text of a key in its map. */
  public static String text(StoreKey key) {
    String whole = new String(key.key(), UTF_8);
    return unescaped(whole.substring(whole.indexOf(SEPARATOR) + 1));
  }

  private static String unescaped(String part) {
    return part.replace("%2F", SEPARATOR).replace("%25", "%");
  }

  private static String escaped(String part) {
    return part.replace("%", "%25").replace(SEPARATOR, "%2F");
  }
}
