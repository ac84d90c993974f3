package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.SnapshotException;

/**
 * What a node is to take.
 *
 * @param hlc the time at which the store is wanted
 * @param base of an incremental one: what it is laid over; of a rolling one: what is moved
 */
public record Order(Ref id, long hlc, Kind kind, Ref base) {
  public Order {
    boolean needsBase = kind == Kind.INCREMENTAL || kind == Kind.ROLLING;
    if (id.isNone() || needsBase == base.isNone()) {
      throw new SnapshotException(
          "a snapshot that is incremental or rolling has a base, and no other: %s kind=%s base=%s"
              .formatted(id, kind, base));
    }
  }
}
