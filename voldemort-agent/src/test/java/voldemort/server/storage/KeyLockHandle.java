package voldemort.server.storage;

import java.util.List;
import voldemort.versioning.Versioned;

/** Shaped like the server's class of this name; written for tests. */
public class KeyLockHandle<V> {
  private List<Versioned<V>> values;
  private boolean closed;

  public KeyLockHandle(List<Versioned<V>> values) {
    this.values = values;
  }

  public List<Versioned<V>> getValues() {
    return values;
  }

  public void setValues(List<Versioned<V>> values) {
    this.values = values;
  }

  /** Once. */
  public void close() {
    if (closed) {
      throw new IllegalStateException("Handle already closed");
    }
    closed = true;
  }
}
