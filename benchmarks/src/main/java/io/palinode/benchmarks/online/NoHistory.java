package io.palinode.benchmarks.online;

import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.file.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Of a node that has no stores. */
final class NoHistory implements History {
  @Override
  public List<String> stores() {
    return List.of();
  }

  @Override
  public WindowLog past(String store) {
    throw unknown(store);
  }

  @Override
  public long settle(long hlc) {
    return hlc;
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    throw unknown(store);
  }

  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    throw unknown(store);
  }

  private static IllegalArgumentException unknown(String store) {
    return new IllegalArgumentException("a node of this benchmark has no stores: store=" + store);
  }
}
