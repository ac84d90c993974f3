package voldemort.versioning;

/** Shaped like the server's class of this name; written for tests over our own clock. */
public final class VectorClock implements Version {
  private final io.palinode.voldemort.protocol.VectorClock clock;

  public VectorClock(byte[] bytes) {
    clock = io.palinode.voldemort.protocol.VectorClock.decode(bytes);
  }

  public byte[] toBytes() {
    return clock.encode();
  }

  @Override
  public boolean isAtMost(Version other) {
    return clock.isAtMost(((VectorClock) other).clock);
  }
}
