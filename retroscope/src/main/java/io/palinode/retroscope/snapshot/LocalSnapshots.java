package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.file.HalfUndoneException;
import io.palinode.retroscope.snapshot.file.Manifest;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.Part;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.Run;
import io.palinode.retroscope.snapshot.file.SealedFile;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import io.palinode.retroscope.snapshot.file.SnapshotFolder;
import io.palinode.retroscope.snapshot.file.StrangeSnapshotsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots that one node has parts of. Thread-safe: takings of different numbers may run at
 * once, beside reads and writes of the stores.
 *
 * <p>A taking makes a part. The part counts from {@link #file} on, when the cluster says that the
 * snapshot is done; until then a rolling snapshot is what it was before.
 */
public final class LocalSnapshots {
  /** For each of the few collections that a taking, or a page of a difference, needs. */
  static final long HEAP_BYTES_MAX = 8L << 20;

  /** Of a store that was never taken: more are not known before they are read. */
  static final long KEYS_GUESSED = 40_000;

  /**
   * A taking that waits for another one checks for a stop, and publishes its progress, this often.
   */
  private static final long WAIT_MILLIS = 100;

  private final int node;
  private final History history;
  private final SnapshotFolder folder;
  private final long heapBytesMax;
  private final Takings takings;

  /**
   * @param folder made when the first snapshot is taken
   */
  public LocalSnapshots(int node, History history, Path folder) {
    this(node, history, new SnapshotFolder(folder), HEAP_BYTES_MAX, new Takings(System::nanoTime));
  }

  LocalSnapshots(
      int node, History history, SnapshotFolder folder, long heapBytesMax, Takings takings) {
    this.heapBytesMax = heapBytesMax;
    this.takings = takings;
    this.node = node;
    this.history = history;
    this.folder = folder;
  }

  /**
   * Takes this node's part. The stores are served meanwhile. Restarts a taking that a crash cut
   * short; leaves an existing part as it is. When a snapshot of a time nearby is here, all keys
   * need not be read: its runs are linked, and what differs is laid over them. Then the two share
   * files, and either can be removed without the other. The taking waits for another one under way,
   * unless that one makes no progress for ten seconds; meanwhile it calls {@code watch} ten times a
   * second.
   *
   * @throws OutOfReachException when the window-log does not reach the times that are needed
   * @throws HalfUndoneException when its time lies within a rollback
   * @throws SnapshotException when it cannot be taken for another reason, or {@code watch} stops it
   */
  public Taken take(Order order, Watch watch) {
    return take(order, Pace.unlimited(), watch);
  }

  /** As {@link #take(Order, Watch)}, with pauses. */
  public Taken take(Order order, Pace pace, Watch watch) {
    byte[] had = folder.partBytes(order.id());
    if (had != null) {
      // It may count already: its acknowledgement may have been lost.
      Part part = SnapshotFolder.part(order.id(), had);
      return taken(part, had, writtenBytes(part), "");
    }
    folder.entered(order.id().id());
    try {
      return takeFromStart(order, pace, watch);
    } finally {
      folder.left(order.id().id());
    }
  }

  private Taken takeFromStart(Order order, Pace pace, Watch watch) {
    boolean isTaken = false;
    try {
      history.rollbacks().requireWhole(order.hlc());
      Taken taken =
          order.base().isNone() ? takeAllKeys(order, pace, watch) : takeOver(order, pace, watch);
      isTaken = true;
      return taken;
    } catch (IOException | UncheckedIOException e) {
      throw new SnapshotException("a part of snapshot " + order.id().id() + " failed: " + e, e);
    } finally {
      if (!isTaken) {
        discard(order.id());
      }
    }
  }

  private static Taken taken(Part part, byte[] encoded, long runBytes, String from) {
    return new Taken(
        part.keys(), part.changed(), runBytes + encoded.length, SealedFile.checksum(encoded), from);
  }

  /**
   * What was taken.
   *
   * @param from as in {@link Taken}
   */
  private record Made(Part part, long bytes, String from) {}

  private Taken written(Made made) {
    // A rollback that began before this node settled is known by now.
    history.rollbacks().requireWhole(made.part().hlc());
    byte[] part = made.part().encode();
    folder.write(made.part(), part);
    return taken(made.part(), part, made.bytes(), made.from());
  }

  private Taken takeOver(Order order, Pace pace, Watch watch) throws IOException {
    try (Taking taking = taking(order, pace, pace.over(watch))) {
      taking.from(requirePart(order.base()));
      return written(new Made(taking.make(), taking.bytes(), ""));
    }
  }

  private Taken takeAllKeys(Order order, Pace pace, Watch watch) throws IOException {
    // Until its part is written: a taking that waits for it looks for that.
    try (Takings.Begun own = takings.begin(order.hlc())) {
      return written(allKeys(order, own, pace, pace.over(own.observed(watch))));
    }
  }

  private Made allKeys(Order order, Takings.Begun own, Pace pace, Pace.Paced watch)
      throws IOException {
    try (Taking taking = taking(order, pace, watch)) {
      return made(taking, near(taking, own, watch));
    }
  }

  private static Made made(Taking taking, @Nullable Part near) throws IOException {
    if (near != null) {
      try {
        taking.beginningWith(near);
        return new Made(taking.make(), taking.bytes(), near.id().id());
      } catch (OutOfReachException | FileSystemException | UnsupportedOperationException gone) {
        // The window has moved on, or someone has removed the snapshot: all keys are still there.
        taking.withoutBase();
      }
    }
    return new Made(taking.make(), taking.bytes(), "");
  }

  private Taking taking(Order order, Pace pace, Watch watch) {
    Taking.Means means = new Taking.Means(history, folder, heapBytesMax, pace.nanos());
    return new Taking(node, means, order, watch);
  }

  /**
   * The cheapest to begin from; null when it is cheaper to read all keys. Waits for others that are
   * under way when none is here.
   */
  private @Nullable Part near(Taking taking, Takings.Begun own, Pace.Paced watch) {
    NearestPart nearest = new NearestPart(history, own.hlc(), watch);
    while (true) {
      // Listed before the parts: one that ends meanwhile is in both lists, not in none.
      List<Takings.Begun> underWay = takings.before(own);
      List<Part> parts = parts();
      Part near = nearest.of(parts);
      Takings.Begun first = near == null ? worthWaitingFor(underWay, nearest, parts) : null;
      if (first == null) {
        return near;
      }
      // However long that takes, the window-log need not reach back over it.
      taking.hold();
      while (!takings.awaitEnd(first, WAIT_MILLIS)) {
        watch.waited();
        taking.extend();
      }
      watch.waited();
    }
  }

  /** The nearest in time of those from which it is cheaper to begin than to read all keys. */
  private static Takings.@Nullable Begun worthWaitingFor(
      List<Takings.Begun> underWay, NearestPart nearest, List<Part> parts) {
    // How many keys there are is known when one has been taken.
    long keys = parts.stream().mapToLong(Part::keys).reduce(KEYS_GUESSED, Math::max);
    for (Takings.Begun one : underWay) {
      if (nearest.isNear(one.hlc(), keys)) {
        return one;
      }
    }
    return null;
  }

  /** All that are here, also those that no manifest names yet: each is the store at its time. */
  private List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    for (String id : folder.ids()) {
      try {
        for (long number : folder.parts(id)) {
          parts.add(requirePart(new Ref(id, number)));
        }
      } catch (SnapshotException damaged) {
        // It is of no help here; a reader of it gets an error.
      }
    }
    return parts;
  }

  private static long writtenBytes(Part part) {
    return part.runs().stream()
        .filter(run -> SnapshotFolder.isOf(part.id().number(), run.name()))
        .mapToLong(Run::bytes)
        .sum();
  }

  private Part requirePart(Ref base) {
    byte[] bytes = folder.partBytes(base);
    if (bytes == null) {
      throw new SnapshotException("node " + node + " has no part of snapshot " + base.id());
    }
    return SnapshotFolder.part(base, bytes);
  }

  /**
   * The snapshot is done: what this node has taken for it counts from now on, and replaces what an
   * earlier taking of it left. Nothing is left when the manifest names no part of this node.
   * Idempotent. Throws {@link SnapshotException} when the part that it names is not here.
   */
  public void file(Manifest manifest) {
    Ref id = manifest.id();
    if (!manifest.isHeldBy(node)) {
      discard(id);
      return;
    }
    Part part = requirePart(id);
    if (!manifest.equals(folder.manifest(id.id()))) {
      folder.write(manifest);
    }
    keepNamed(part);
  }

  /** Files of later takings stay too: under way, or waiting to count. */
  private void keepNamed(Part part) {
    Set<String> named = named(part);
    long number = part.id().number();
    folder.keepOnly(
        part.id().id(),
        file ->
            named.contains(file)
                || SnapshotFolder.isManifest(file)
                || SnapshotFolder.numberOf(file) > number);
  }

  private static Set<String> named(Part part) {
    Set<String> named = new HashSet<>();
    part.runs().forEach(run -> named.add(run.name()));
    named.add(SnapshotFolder.partName(part.id().number()));
    return named;
  }

  /** Removes what one taking has left; what counts stays, and other takings. Idempotent. */
  public void discard(Ref taking) {
    folder.keepOnly(taking.id(), file -> !SnapshotFolder.isOf(taking.number(), file));
  }

  /** Removes a snapshot with all its takings. Idempotent. */
  public void delete(String id) {
    folder.keepOnly(Ref.requireId(id), file -> false);
  }

  /**
   * Removes every snapshot but these, as after a start that missed something: also one whose name
   * another has by now. No taking is under way. A damaged snapshot stays, for {@link #verify} to
   * report; then, when all else is done, {@link SnapshotException}.
   *
   * @param wanted the takings that count, and those that are still to be made
   * @param last the greatest number of a taking that was ever ordered
   * @throws StrangeSnapshotsException when there is a later one here; then nothing is removed
   */
  public void sweep(Collection<Ref> wanted, long last) {
    requireOrdered(last);
    SnapshotException failed = null;
    for (String id : folder.ids()) {
      try {
        Set<String> named = named(wanted.stream().filter(ref -> ref.id().equals(id)).toList(), id);
        folder.keepOnly(id, named::contains);
      } catch (SnapshotException damaged) {
        failed = damaged;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }

  private void requireOrdered(long last) {
    for (String id : folder.ids()) {
      long number = folder.lastNumber(id);
      if (number > last) {
        throw new StrangeSnapshotsException(folder.of(id), number, last);
      }
    }
  }

  /** The files that these takings of a snapshot have here. */
  private Set<String> named(List<Ref> takings, String id) {
    Set<String> named = new HashSet<>();
    for (Ref taking : takings) {
      byte[] bytes = folder.partBytes(taking);
      if (bytes != null) {
        named.addAll(named(SnapshotFolder.part(taking, bytes)));
      }
    }
    Manifest manifest = takings.isEmpty() ? null : folder.manifest(id);
    if (manifest != null && takings.contains(manifest.id())) {
      named.add(SnapshotFolder.MANIFEST);
    }
    return named;
  }

  /** Opens what this node has of a snapshot that is done. Throws {@link SnapshotException}. */
  public OpenSnapshot open(String id) {
    return open(id, 0);
  }

  /**
   * Like the other, for this taking of it.
   *
   * @param number 0: of the one that counts here
   */
  public OpenSnapshot open(String id, long number) {
    while (true) {
      Manifest manifest = requireManifest(id);
      if (number != 0) {
        requireTaking(manifest.id(), number);
      }
      try {
        return OpenSnapshot.open(folder, requirePart(manifest.id()));
      } catch (SnapshotException failed) {
        if (manifest.equals(folder.manifest(id))) {
          throw failed;
        }
        // It was moved in between, and its files are gone.
      }
    }
  }

  private Manifest requireManifest(String id) {
    Manifest manifest = folder.manifest(id);
    if (manifest == null) {
      throw new SnapshotException("node %d has no snapshot '%s' that is done".formatted(node, id));
    }
    return manifest;
  }

  private void requireTaking(Ref found, long number) {
    if (found.number() != number) {
      throw new SnapshotException(
          "node %d has taking %d of snapshot %s, not %d: it was moved meanwhile, or has not been filed there yet"
              .formatted(node, found.number(), found.id(), number));
    }
  }

  /**
   * Opens what this node has of this very taking, when all of it was read and is whole. Throws
   * {@link SnapshotException} that says what is wrong. O(snapshot).
   */
  public OpenSnapshot openVerified(Ref snapshot) {
    requireTaking(verify(snapshot.id()).id(), snapshot.number());
    return open(snapshot.id(), snapshot.number());
  }

  /**
   * Reads all that this node has of a snapshot, that of its base included, and compares it with its
   * checksums and counts. Throws {@link SnapshotException} that says what is wrong. O(snapshot).
   */
  public Verified verify(String id) {
    Manifest manifest = requireManifest(id);
    byte[] part = folder.partBytes(manifest.id());
    int checksum = part == null ? 0 : SealedFile.checksum(part);
    if (part == null || !isNamed(manifest, checksum)) {
      throw new SnapshotException(
          "the part of snapshot %s at node %d is not the one that its manifest names"
              .formatted(id, node));
    }
    try (OpenSnapshot opened =
        OpenSnapshot.open(folder, SnapshotFolder.part(manifest.id(), part))) {
      opened.verify();
      return new Verified(manifest.id(), opened.part().keys(), checksum);
    }
  }

  private boolean isNamed(Manifest manifest, int checksum) {
    return manifest.members().stream()
        .anyMatch(member -> member.node() == node && member.checksum() == checksum);
  }

  /**
   * What was read and found whole.
   *
   * @param checksum of the part's file
   */
  public record Verified(Ref id, long keys, int checksum) {}

  /**
   * Some of the keys that differ between two points, in order, behind {@code after} (null: from the
   * first); see {@link DifferencePage}. Of two times: O(changes since the earlier); else O(keys),
   * and for each page of a time also O(changes since). Holds some 20 MiB at most, and a record of
   * each key more.
   *
   * @throws OutOfReachException when a time is out of reach
   * @throws HalfUndoneException when a time lies within a rollback
   * @throws SnapshotException when a snapshot is not here, or damaged
   */
  public DifferencePage difference(
      String store, Point before, Point after, byte @Nullable [] behind) {
    DifferencePage page = page(store, before, after, behind);
    requireWhole(before);
    requireWhole(after);
    return page;
  }

  private DifferencePage page(String store, Point before, Point after, byte @Nullable [] behind) {
    if (before.id() == null && after.id() == null) {
      return DifferencePage.ofTimes(
          history, store, before.hlc(), after.hlc(), behind, heapBytesMax);
    }
    try (Pointed from = pointed(store, before, behind);
        Pointed to = pointed(store, after, behind)) {
      return DifferencePage.between(from, to, behind);
    }
  }

  private Pointed pointed(String store, Point point, byte @Nullable [] behind) {
    String id = point.id();
    return id == null
        ? new Pointed.AtTime(history, store, point.hlc(), behind, heapBytesMax)
        : new Pointed.InSnapshot(open(id, point.number()), store);
  }

  private void requireWhole(Point point) {
    if (point.id() == null) {
      history.rollbacks().requireWhole(point.hlc());
    }
  }
}
