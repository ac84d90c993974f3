package io.palinode.benchmarks.hazelcast;

import java.io.IOException;
import java.io.Serial;

/** A member's window-log dropped changes before the benchmark could go back to them. */
public final class WindowLogFullException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  WindowLogFullException(int megabytes, double seconds, double wantedSeconds) {
    super(
        "the window-log of %d MiB was full after %.0f s of %.0f s: give it more memory (--window-log), or go back less (--back)"
            .formatted(megabytes, seconds, wantedSeconds));
  }
}
