package io.palinode.retroscope;

import io.palinode.retroscope.disklog.LogVolume;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A volume whose machine can stop, that can be full, and whose bytes can be spoilt. */
final class MemoryVolume implements LogVolume {
  static final long PLENTY = 1L << 50;

  final TreeMap<Long, byte[]> files = new TreeMap<>();
  byte @Nullable [] state;
  byte @Nullable [] rewritten;
  String boot = "first";
  long freeBytes = PLENTY;
  long reservable = Long.MAX_VALUE;
  boolean fails;

  /** The number of next maps that fail. */
  int mapsFailing;

  /** Runs before and after each file is added or removed. */
  Runnable changed = () -> {};

  /** A copy of the present state, for another process. */
  MemoryVolume copy() {
    MemoryVolume copy = new MemoryVolume();
    files.forEach((number, bytes) -> copy.files.put(number, bytes.clone()));
    copy.state = state == null ? null : state.clone();
    copy.rewritten = rewritten == null ? null : rewritten.clone();
    copy.boot = boot;
    return copy;
  }

  byte[] file(long number) {
    return Objects.requireNonNull(files.get(number));
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public String boot() {
    return boot;
  }

  @Override
  public long freeBytes() throws IOException {
    check();
    return freeBytes;
  }

  private void check() throws IOException {
    if (fails) {
      throw new IOException("broken");
    }
  }

  @Override
  public byte @Nullable [] readState() {
    return state;
  }

  @Override
  public ByteBuffer writeState(byte[] written) throws IOException {
    check();
    state = written.clone();
    return ByteBuffer.wrap(state);
  }

  @Override
  public List<Long> numbers() {
    return List.copyOf(files.keySet());
  }

  @Override
  public Fresh create(long number, int bytes) throws IOException {
    check();
    byte[] begun = new byte[bytes];
    if (files.putIfAbsent(number, begun) != null) {
      throw new IOException("there is a file " + number);
    }
    return new FreshBytes(begun);
  }

  /** Takes room as it is reserved. */
  private final class FreshBytes implements Fresh {
    private final byte[] bytes;

    FreshBytes(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public ByteBuffer bytes() {
      return ByteBuffer.wrap(bytes);
    }

    @Override
    public void reserve(int from, int count) throws IOException {
      check();
      if (freeBytes < count || reservable < count) {
        throw new IOException("full");
      }
      freeBytes -= count;
      reservable -= count;
      Arrays.fill(bytes, from, from + count, (byte) 0);
    }

    @Override
    public void close() {}
  }

  @Override
  public Fresh rewrite(int bytes) throws IOException {
    check();
    byte[] begun = new byte[bytes];
    rewritten = begun;
    return new FreshBytes(begun);
  }

  @Override
  public void replace(long number, int bytes) throws IOException {
    check();
    changed.run();
    files.put(number, Arrays.copyOf(Objects.requireNonNull(rewritten), bytes));
    rewritten = null;
    changed.run();
  }

  @Override
  public void discardRewrite() throws IOException {
    check();
    rewritten = null;
  }

  @Override
  public ByteBuffer map(long number) throws IOException {
    byte[] bytes = files.get(number);
    if (bytes == null) {
      throw new FileNotFoundException("there is no file " + number);
    }
    if (mapsFailing > 0) {
      mapsFailing--;
      throw new IOException("Map failed");
    }
    return ByteBuffer.wrap(bytes);
  }

  @Override
  public void force(long number) throws IOException {
    check();
  }

  @Override
  public void forceState() throws IOException {
    check();
  }

  @Override
  public void remove(long number, boolean mapped) throws IOException {
    check();
    byte[] removed = files.remove(number);
    if (removed == null) {
      return;
    }
    if (!mapped) {
      // A reader of the file would notice these bytes.
      Arrays.fill(removed, (byte) 0xEE);
    }
    freeBytes += removed.length;
    changed.run();
  }
}
