package io.palinode.benchmarks.windowlog;

/** What is compared. Appended to by one thread. */
interface RecentPast extends AutoCloseable {
  void append(byte[] key, byte[] old, byte[] now);

  /** Makes the difference to the state at a time. Returns how many keys it has. */
  int diff(long pastMicros);

  /** The same, with the number of changes given. */
  default int diffSized(long pastMicros, int changes) {
    return diff(pastMicros);
  }

  /** Makes the difference and looks at each key and value. */
  long readDiff(long pastMicros);

  /** Whatever is done by other threads is done. */
  default void settle() {}

  @Override
  default void close() {}
}
