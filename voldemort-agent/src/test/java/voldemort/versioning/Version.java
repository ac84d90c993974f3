package voldemort.versioning;

/** Shaped like the server's class of this name; written for tests. */
public interface Version {
  /** Of two equal ones, too. */
  boolean isAtMost(Version other);
}
