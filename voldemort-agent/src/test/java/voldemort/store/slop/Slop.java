package voldemort.store.slop;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;

/**
 * Shaped like the server's class of this name; written for tests. Its bytes: store, space, time.
 */
public final class Slop {
  private final String store;
  private final Date arrived;

  Slop(byte[] bytes) {
    String[] parts = new String(bytes, StandardCharsets.UTF_8).split(" ", 2);
    store = parts[0];
    arrived = Date.from(Instant.ofEpochMilli(Long.parseLong(parts[1])));
  }

  public String getStoreName() {
    return store;
  }

  public Date getArrived() {
    return arrived;
  }
}
