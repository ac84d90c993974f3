package voldemort.utils;

import java.util.Arrays;

/** Shaped like the server's class of this name; written for tests. */
public final class ByteArray {
  private final byte[] bytes;

  public ByteArray(byte... bytes) {
    this.bytes = bytes;
  }

  public byte[] get() {
    return bytes;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof ByteArray other && Arrays.equals(bytes, other.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
