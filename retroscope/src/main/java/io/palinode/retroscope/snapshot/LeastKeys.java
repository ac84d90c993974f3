package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.snapshot.file.Entry;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The least keys behind one, as many as fit into the bytes allowed, one at least. */
final class LeastKeys {
  private final NavigableMap<byte[], Entry> kept = new TreeMap<>(Overlay.UNSIGNED);
  private final long bytesMax;
  private byte @Nullable [] behind;
  private byte @Nullable [] end;
  private long bytes;

  /**
   * @param behind keys up to this one are of no interest; null: all are
   */
  LeastKeys(byte @Nullable [] behind, long bytesMax) {
    this.behind = behind;
    this.bytesMax = bytesMax;
  }

  /** Of a key that comes twice, the first counts. */
  void add(Entry entry) {
    boolean isOutside =
        (behind != null && Arrays.compareUnsigned(entry.key(), behind) <= 0)
            || (end != null && Arrays.compareUnsigned(entry.key(), end) > 0);
    if (isOutside || kept.putIfAbsent(entry.key(), entry) != null) {
      return;
    }
    bytes += entry.heapBytes();
    while (bytes > bytesMax && kept.size() > 1) {
      bytes -= kept.pollLastEntry().getValue().heapBytes();
      end = kept.lastKey();
    }
  }

  /** All keys up to this one are kept, and no others; null: all keys are. */
  byte @Nullable [] end() {
    return end;
  }

  NavigableMap<byte[], Entry> kept() {
    return kept;
  }

  /** Those up to this key are of no interest any more. */
  void forgetUpTo(byte[] key) {
    Map<byte[], Entry> passed = kept.headMap(key, true);
    passed.values().forEach(entry -> bytes -= entry.heapBytes());
    passed.clear();
    behind = key;
  }
}
