package io.palinode.orchestrator.snapshot;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An operator's request for a snapshot. Immutable.
 *
 * @param id its name; null: generated. A rolling one has that of its base.
 * @param hlc the cut; null: now
 * @param base of an incremental or rolling one
 * @param rolling with a base: move it; else take only what differs from it
 * @param atOnce how many nodes take their part at once; 0: all
 */
public record SnapshotRequest(
    @Nullable String id, @Nullable Long hlc, @Nullable String base, boolean rolling, int atOnce) {
  private static final Pattern ID = Pattern.compile("[a-z][a-z0-9_-]{0,62}");

  public SnapshotRequest {
    if (id != null && !ID.matcher(id).matches()) {
      throw new IllegalArgumentException(
          "the name of a snapshot must be a letter a-z, then up to 62 of a-z, 0-9, - and _: '%s'"
              .formatted(id));
    }
    if ("now".equals(id)) {
      throw new IllegalArgumentException("a snapshot must not be named 'now', which is a time");
    }
    if (rolling && base == null) {
      throw new IllegalArgumentException("a rolling snapshot needs a base, which it moves");
    }
    if (rolling && id != null) {
      throw new IllegalArgumentException("a rolling snapshot keeps its name: '" + base + "'");
    }
    if (atOnce < 0) {
      throw new IllegalArgumentException(
          "the nodes that take their part at once must be at least 1, or 0 for all: " + atOnce);
    }
  }
}
