package io.palinode.voldemort;

import io.palinode.detector.RestoreRefusedException;
import io.palinode.detector.RestoreRefusedException.Reason;

/**
 * What a restore may hold on the heap of the keys that it changes: of one that is too large, a node
 * would die of want of memory, again after each start, and nobody could call it off.
 *
 * @param keysMax at least 1
 * @param bytesMax of keys, of what they have and had, and of the objects around them; nearly
 */
public record RestoreLimit(long keysMax, long bytesMax) {
  static final RestoreLimit NONE = new RestoreLimit(Long.MAX_VALUE, Long.MAX_VALUE);

  /** What a key takes beside its bytes, as measured. */
  static final int KEY_BYTES = 400;

  /** The rest is for what the other nodes tell, and for all else. */
  private static final int HEAP_PART = 4;

  public RestoreLimit {
    if (keysMax < 1 || bytesMax < 1) {
      throw new IllegalArgumentException(
          "a restore must be allowed a key, and a byte, at least: keysMax=%d bytesMax=%d"
              .formatted(keysMax, bytesMax));
    }
  }

  /** As many keys as fit. */
  public static RestoreLimit ofBytes(long bytesMax) {
    return new RestoreLimit(Math.max(1, bytesMax / KEY_BYTES), bytesMax);
  }

  /** A quarter of the heap of this process, in which so many nodes live. */
  public static RestoreLimit ofHeap(int nodes) {
    return ofBytes(Runtime.getRuntime().maxMemory() / HEAP_PART / nodes);
  }

  /** Counts for one restore. */
  Tally tally() {
    return new Tally();
  }

  /** What a restore holds so far. For one thread. */
  final class Tally {
    private long keys;
    private long bytes;

    /** Throws {@link RestoreRefusedException} when that is too many. */
    void addKey(int length) {
      keys++;
      addBytes(KEY_BYTES + length);
    }

    /** Throws {@link RestoreRefusedException} when that is too much. */
    void addBytes(long more) {
      bytes += more;
      if (keys > keysMax || bytes > bytesMax) {
        throw new RestoreRefusedException(
            Reason.TOO_LARGE,
            "it changes too much to be held in memory, over %d keys or %d MiB: see --restore-memory"
                .formatted(keysMax, bytesMax >> 20));
      }
    }
  }
}
