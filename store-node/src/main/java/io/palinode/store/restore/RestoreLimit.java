package io.palinode.store.restore;

import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.RestoreRefusedException.Reason;

/**
 * The heap that the changed keys of a restore may take. Without it, too large a restore would end
 * the node for lack of memory, after each start again. No operator could cancel it.
 *
 * @param keysMax at least 1
 * @param bytesMax bytes of the keys, their records now and on the cut, and their objects,
 *     approximately
 */
public record RestoreLimit(long keysMax, long bytesMax) {
  static final RestoreLimit NONE = new RestoreLimit(Long.MAX_VALUE, Long.MAX_VALUE);

  /** Bytes of a key's objects, as measured. */
  static final int KEY_BYTES = 400;

  /** A node also holds the contributions of the others, each of about the same size. */
  private static final int HEAP_PART = 8;

  public RestoreLimit {
    if (keysMax < 1 || bytesMax < 1) {
      throw new IllegalArgumentException(
          "a restore needs at least one key and one byte: keysMax=%d bytesMax=%d"
              .formatted(keysMax, bytesMax));
    }
  }

  /** A limit by bytes alone. */
  public static RestoreLimit ofBytes(long bytesMax) {
    return new RestoreLimit(Math.max(1, bytesMax / KEY_BYTES), bytesMax);
  }

  /** An eighth of this process's heap, divided by its number of nodes. */
  public static RestoreLimit ofHeap(int nodes) {
    return ofBytes(Runtime.getRuntime().maxMemory() / HEAP_PART / nodes);
  }

  /** Counts for one restore. */
  public Tally tally() {
    return new Tally();
  }

  /** What one restore holds so far. For one thread. */
  public final class Tally {
    private long keys;
    private long bytes;

    /** Throws {@link RestoreRefusedException} when that is too many. */
    public void addKey(int length) {
      keys++;
      addBytes(KEY_BYTES + length);
    }

    /** Throws {@link RestoreRefusedException} when that is too much. */
    public void addBytes(long more) {
      bytes += more;
      if (keys > keysMax || bytes > bytesMax) {
        throw new RestoreRefusedException(
            Reason.TOO_LARGE,
            "it changes more than %d keys or %d MiB, the limit of --restore-memory"
                .formatted(keysMax, bytesMax >> 20));
      }
    }
  }
}
