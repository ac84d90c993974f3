package voldemort.versioning;

/** Shaped like the server's class of this name; written for tests. */
public final class Versioned<T> {
  private final T value;
  private final Version version;

  public Versioned(T value, Version version) {
    this.value = value;
    this.version = version;
  }

  public T getValue() {
    return value;
  }

  public Version getVersion() {
    return version;
  }
}
