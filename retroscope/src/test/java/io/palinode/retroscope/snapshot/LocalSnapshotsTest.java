package io.palinode.retroscope.snapshot;

import static io.palinode.retroscope.snapshot.MapHistory.bytes;
import static io.palinode.retroscope.snapshot.MapHistory.text;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.RollbackTimes.Span;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.HalfUndoneException;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Manifest;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.Room;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import io.palinode.retroscope.snapshot.file.SnapshotFolder;
import io.palinode.retroscope.snapshot.file.StrangeSnapshotsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every kind of snapshot, compared with the state replayed from the start. */
class LocalSnapshotsTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 300) / 50;
  static final int NODE = 3;

  @TempDir Path folder;
  private MapHistory history;
  private LocalSnapshots snapshots;
  private Room room = RoomTest.PLENTY;
  private long numbers;

  @BeforeEach
  void begin() {
    begin(7, WindowLogConfig.DEFAULT, "first");
  }

  private void begin(long seed, WindowLogConfig config, String name) {
    history = new MapHistory(new Random(seed), config);
    // With every other seed, three keys or so fit into memory.
    long heapBytesMax = seed % 2 == 0 ? 500 : LocalSnapshots.HEAP_BYTES_MAX;
    SnapshotFolder files = new SnapshotFolder(folder.resolve(name), synced -> {}, room);
    snapshots =
        new LocalSnapshots(NODE, history, files, heapBytesMax, new Takings(System::nanoTime));
  }

  @Test
  void aSnapshotOfAllKeysAtAnyTimeEqualsTheReplayDuringWrites() {
    for (long seed = 0; seed < SEEDS; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      change(60);
      history.changesDuringAPage = (int) (seed % 3);
      // Each taking waits for the disk a few times.
      for (long hlc : seed < 2 ? history.times() : sample(5, new Random(seed))) {
        Ref id = take("s", hlc, Kind.RETROSPECTIVE, Ref.NONE);
        assertHolds(id, hlc, "seed=" + seed);
      }
    }
  }

  @Test
  void anIncrementalSnapshotEqualsTheReplayForwardAndBackwardAlsoOnAnother() {
    for (long seed = 0; seed < 2L * SEEDS; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      change(60);
      history.changesDuringAPage = (int) (seed % 2);
      Random random = new Random(seed);
      Ref base = take("base", randomTime(random), Kind.INSTANT, Ref.NONE);
      for (int i = 0; i < 12; i++) {
        long hlc = randomTime(random);
        Ref id = take("inc" + i, hlc, Kind.INCREMENTAL, base);
        assertHolds(id, hlc, "seed=%d i=%d".formatted(seed, i));
        base = i % 4 == 0 ? id : base;
      }
    }
  }

  @Test
  void aRollingSnapshotEqualsTheReplayWhereverItIsMoved() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      change(60);
      Random random = new Random(seed);
      Ref at = take("s", randomTime(random), Kind.INSTANT, Ref.NONE);
      for (int i = 0; i < 3 * Taking.RUNS_MAX; i++) {
        change(3);
        long hlc = randomTime(random);
        at = take("s", hlc, Kind.ROLLING, at);
        assertHolds(at, hlc, "seed=%d i=%d".formatted(seed, i));
        assertThat(files("seed" + seed, "s").size()).isLessThanOrEqualTo(Taking.RUNS_MAX + 2);
      }
    }
  }

  @Test
  void aRollingSnapshotStaysWhereItWasUntilItIsFiled() {
    change(30);
    long first = history.now();
    Ref before = take("s", first, Kind.INSTANT, Ref.NONE);
    change(30);
    Ref next = new Ref("s", ++numbers);
    Taken taken = snapshots.take(new Order(next, history.now(), Kind.ROLLING, before), Watch.NONE);
    assertHolds(before, first, "not filed");
    snapshots.file(manifest(next, history.now(), taken, "node 1 is away"));
    assertThat(read("s")).isEqualTo(history.at(history.now()));
  }

  @Test
  void aFailedRollingSnapshotLeavesNothing() throws IOException {
    change(30);
    long first = history.now();
    Ref before = take("s", first, Kind.INSTANT, Ref.NONE);
    List<String> files = files("first", "s");
    change(30);
    Ref next = new Ref("s", ++numbers);
    snapshots.take(new Order(next, history.now(), Kind.ROLLING, before), Watch.NONE);
    assertThat(files("first", "s")).hasSizeGreaterThan(files.size());
    snapshots.discard(next);
    assertThat(files("first", "s")).isEqualTo(files);
    assertHolds(before, first, "discarded");
  }

  @Test
  void theCostOfRollingFollowsTheKeysThatChange() {
    for (int i = 0; i < 2_000; i++) {
      history.change();
    }
    Ref at = take("s", history.now(), Kind.INSTANT, Ref.NONE);
    change(2);
    Taken taken =
        snapshots.take(
            new Order(new Ref("s", ++numbers), history.now(), Kind.ROLLING, at), Watch.NONE);
    assertThat(taken.changed()).isBetween(1L, 2L);
  }

  @Test
  void aTimeOutOfReachIsRefusedWithTheReasonAndLeavesNothing() throws IOException {
    change(10);
    Order tooOld = new Order(new Ref("s", 1), 7, Kind.RETROSPECTIVE, Ref.NONE);
    assertThatThrownBy(() -> snapshots.take(tooOld, Watch.NONE))
        .isInstanceOf(OutOfReachException.class)
        .hasMessageContaining("reaches from " + Hlc.format(100));
    Order tooNew = new Order(new Ref("s", 2), 1 << 20, Kind.RETROSPECTIVE, Ref.NONE);
    assertThatThrownBy(() -> snapshots.take(tooNew, Watch.NONE))
        .isInstanceOf(OutOfReachException.class);
    assertThat(folder.resolve("first/s")).doesNotExist();
  }

  @Test
  void aTimeWithinARollbackIsRefusedWithTheReasonAndLeavesNothing() {
    change(30);
    long hlc = history.now();
    change(30);
    history.rollbacks = RollbackTimes.NONE.with(new Span(2, hlc - 1, hlc + 1));
    Order order = new Order(new Ref("s", 1), hlc, Kind.RETROSPECTIVE, Ref.NONE);
    assertHalfUndone(() -> snapshots.take(order, Watch.NONE));
    assertHalfUndone(() -> history.getAsOf("one", bytes("k1"), hlc));
    Point whole = Point.ofTime(hlc + 1);
    assertHalfUndone(() -> snapshots.difference("one", Point.ofTime(hlc), whole, null));
    assertHalfUndone(() -> snapshots.difference("one", whole, Point.ofTime(hlc), null));
    assertThat(folder.resolve("first/s")).doesNotExist();
    take("before", hlc - 1, Kind.RETROSPECTIVE, Ref.NONE);
    take("after", hlc + 1, Kind.RETROSPECTIVE, Ref.NONE);
  }

  @Test
  void aRollbackThatBecomesKnownWhileAPartIsTakenSpoilsIt() {
    change(30);
    long hlc = history.now();
    history.rollbacksDuringAPage = RollbackTimes.NONE.with(new Span(2, hlc - 1, hlc + 1));
    Order order = new Order(new Ref("s", 1), hlc, Kind.INSTANT, Ref.NONE);
    assertHalfUndone(() -> snapshots.take(order, Watch.NONE));
    assertThat(folder.resolve("first/s")).doesNotExist();
  }

  private static void assertHalfUndone(ThrowingCallable action) {
    assertThatThrownBy(action)
        .isInstanceOf(HalfUndoneException.class)
        .hasMessageContaining("half undone, by the rollback to epoch 2");
  }

  @Test
  void aWindowThatMovesOnWhileASnapshotIsTakenDoesNotSpoilIt() {
    begin(3, new WindowLogConfig(Duration.ofHours(1), 600_000), "narrow");
    history.valueBytes = 500;
    change(100);
    long hlc = history.now();
    history.changesDuringAPage = 400;
    Ref id = take("s", hlc, Kind.INSTANT, Ref.NONE);
    history.changesDuringAPage = 0;
    assertThat(history.past("one").reach()).isGreaterThan(hlc);
    assertHolds(id, hlc, "narrow");
  }

  @Test
  void aCancelledTakingLeavesNothing() {
    change(30);
    Order order = new Order(new Ref("s", 1), history.now(), Kind.INSTANT, Ref.NONE);
    assertThatThrownBy(() -> snapshots.take(order, (keys, bytes) -> false))
        .isInstanceOf(SnapshotException.class)
        .hasMessage("cancelled");
    assertThat(folder.resolve("first/s")).doesNotExist();
  }

  @Test
  void aSnapshotThatWouldFillTheDiskFailsAnywhereWithTheReasonAndLeavesNothing()
      throws IOException {
    int[] looks = {0};
    room = new Room(path -> looks[0]-- > 0 ? Long.MAX_VALUE : 7L << 20, 5L << 20);
    // Collected entries go to the disk.
    begin(2, WindowLogConfig.DEFAULT, "full");
    change(60);
    looks[0] = Integer.MAX_VALUE;
    Ref base = take("base", history.now(), Kind.INSTANT, Ref.NONE);
    List<String> before = files("full", "base");
    long late = history.now();
    change(300);
    history.changesDuringAPage = 2;
    for (Order order :
        List.of(
            new Order(new Ref("all", 71), late, Kind.RETROSPECTIVE, Ref.NONE),
            new Order(new Ref("inc", 72), history.now(), Kind.INCREMENTAL, base),
            new Order(new Ref("base", 73), history.now(), Kind.ROLLING, base))) {
      for (int i = 0; i < 4; i++) {
        looks[0] = i;
        assertThatThrownBy(() -> snapshots.take(order, Watch.NONE))
            .as("%s after %d runs", order, i)
            .isInstanceOf(SnapshotException.class)
            .hasMessageStartingWith(
                "the disk has 7340032 bytes free, and a snapshot leaves 5242880");
        assertThat(folder.resolve("full/all")).doesNotExist();
        assertThat(folder.resolve("full/inc")).doesNotExist();
        assertThat(files("full", "base")).isEqualTo(before);
      }
    }
  }

  @Test
  void aTakingWhoseFilesCannotBeRemovedDoesNotKeepItsFolderForEver() throws IOException {
    change(30);
    Ref id = new Ref("s", 1);
    Path inTheWay = folder.resolve("first/s/run-1-7");
    history.whenSettled = () -> makeFolder(inTheWay.resolve("full"));
    Order order = new Order(id, history.now(), Kind.INSTANT, Ref.NONE);
    assertThatThrownBy(() -> snapshots.take(order, (keys, bytes) -> false))
        .isInstanceOf(SnapshotException.class)
        .hasMessageContaining("files of snapshot s cannot be removed");
    Files.delete(inTheWay.resolve("full"));
    snapshots.discard(id);
    assertThat(folder.resolve("first/s")).doesNotExist();
  }

  private static void makeFolder(Path path) {
    try {
      Files.createDirectories(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aSnapshotBeginsWithOneThatIsTakenAndNotFiledYet() {
    change(400);
    Ref first = new Ref("first", ++numbers);
    snapshots.take(new Order(first, history.now(), Kind.INSTANT, Ref.NONE), Watch.NONE);
    change(2);
    long hlc = history.now();
    Ref id = new Ref("s", ++numbers);
    Taken taken = snapshots.take(new Order(id, hlc, Kind.INSTANT, Ref.NONE), Watch.NONE);
    assertThat(taken.from()).isEqualTo("first");
    snapshots.discard(first);
    snapshots.file(manifest(id, hlc, taken, ""));
    assertHolds(id, hlc, "the first came to nothing");
  }

  @Test
  void anIncrementalTakingEndsSoonAfterItIsCancelled() {
    change(30);
    Ref base = take("base", history.now(), Kind.INSTANT, Ref.NONE);
    change(300);
    for (int wantedFor = 0; wantedFor < 40; wantedFor++) {
      int[] left = {wantedFor};
      history.keysRead = 0;
      Order order = new Order(new Ref("s", ++numbers), history.now(), Kind.INCREMENTAL, base);
      assertThatThrownBy(() -> snapshots.take(order, (keys, bytes) -> left[0]-- > 0))
          .hasMessage("cancelled");
      assertThat(history.keysRead).isLessThanOrEqualTo(wantedFor);
      assertThat(folder.resolve("first/s")).doesNotExist();
    }
  }

  @Test
  void spilledEntriesAreRemovedFromTheDisk() throws IOException {
    begin(2, WindowLogConfig.DEFAULT, "spilled");
    change(30);
    Ref base = take("base", history.now(), Kind.INSTANT, Ref.NONE);
    change(300);
    snapshots.take(
        new Order(new Ref("s", ++numbers), history.now(), Kind.INCREMENTAL, base), Watch.NONE);
    assertThat(files("spilled", "s")).hasSize(2).anyMatch(name -> name.startsWith("part-"));
  }

  @Test
  void aDifferenceOfTwoTimesLooksAtNoMoreKeysThanHaveChanged() {
    change(400);
    long one = history.now();
    change(3);
    long other = history.now();
    history.keysRead = 0;
    history.pagesRead = 0;
    Map<String, String> expected = difference(history.at(one), history.at(other));
    assertThat(difference(Point.ofTime(one), Point.ofTime(other))).isEqualTo(expected);
    assertThat(history.pagesRead).isZero();
    assertThat(history.keysRead).isLessThanOrEqualTo(3);
  }

  @Test
  void thePartialFilesOfACrashAreNoSnapshotAndAreSwept() throws IOException {
    change(30);
    Ref id = new Ref("s", ++numbers);
    Order order = new Order(id, history.now(), Kind.INSTANT, Ref.NONE);
    snapshots.take(order, Watch.NONE);
    List<String> whole = files("first", "s");
    assertThat(whole).isNotEmpty();
    // Cut at every file: all that was written before is there, the file itself only in part.
    for (String cut : whole) {
      Path file = folder.resolve("first/s").resolve(cut);
      byte[] bytes = Files.readAllBytes(file);
      for (int length : new int[] {0, 1, bytes.length / 2, bytes.length - 1}) {
        Files.write(file, java.util.Arrays.copyOf(bytes, length));
        LocalSnapshots restarted = new LocalSnapshots(NODE, history, folder.resolve("first"));
        assertThatThrownBy(() -> restarted.verify("s")).isInstanceOf(SnapshotException.class);
        assertThatThrownBy(() -> restarted.open("s")).isInstanceOf(SnapshotException.class);
      }
      Files.write(file, bytes);
    }
    snapshots.sweep(List.of(), id.number());
    assertThat(folder.resolve("first/s")).doesNotExist();
  }

  @Test
  void aPresentPartIsKeptWhenItIsToBeTakenAgain() throws IOException {
    change(30);
    long hlc = history.now();
    Ref id = new Ref("s", ++numbers);
    Order order = new Order(id, hlc, Kind.INSTANT, Ref.NONE);
    Taken taken = snapshots.take(order, Watch.NONE);
    snapshots.file(manifest(id, hlc, taken, ""));
    Map<String, List<Object>> before = contents("first", "s");
    change(30);
    LocalSnapshots restarted = new LocalSnapshots(NODE, history, folder.resolve("first"));
    assertThat(restarted.take(order, Watch.NONE)).isEqualTo(taken);
    assertThat(restarted.take(order, (keys, bytes) -> false)).isEqualTo(taken);
    assertThat(contents("first", "s")).isEqualTo(before);
    assertHolds(id, hlc, "taken again");
  }

  /** With the times of the files. */
  private Map<String, List<Object>> contents(String name, String id) throws IOException {
    Map<String, List<Object>> contents = new TreeMap<>();
    for (String file : files(name, id)) {
      Path path = folder.resolve(name).resolve(id).resolve(file);
      contents.put(
          file, List.of(Files.readString(path, ISO_8859_1), Files.getLastModifiedTime(path)));
    }
    return contents;
  }

  @Test
  void aDiscardRemovesNoFileOfAnotherSnapshot() throws IOException {
    change(30);
    long hlc = history.now();
    Ref id = take("s", hlc, Kind.INSTANT, Ref.NONE);
    for (String file :
        List.of("part-8.tmp", "manifest.tmp", "run-8-0", "part-77.tmp", "part-7.tmp")) {
      Files.writeString(folder.resolve("first/s").resolve(file), "half");
    }
    snapshots.discard(new Ref("s", 7));
    assertThat(files("first", "s"))
        .contains("part-8.tmp", "manifest.tmp", "run-8-0", "part-77.tmp")
        .doesNotContain("part-7.tmp");
    assertHolds(id, hlc, "still there");
  }

  @Test
  void aDeletedSnapshotWhoseNameIsUsedAgainIsSweptButARollingOneIsNot() throws IOException {
    change(30);
    Ref gone = take("s", history.now(), Kind.INSTANT, Ref.NONE);
    Ref rolled = take("r", history.now(), Kind.INSTANT, Ref.NONE);
    change(5);
    long hlc = history.now();
    Ref base = rolled;
    rolled = new Ref("r", ++numbers);
    Taken moved = snapshots.take(new Order(rolled, hlc, Kind.ROLLING, base), Watch.NONE);
    Manifest filed = manifest(rolled, hlc, moved, "");
    snapshots.file(filed);
    snapshots.sweep(List.of(new Ref("s", gone.number() + 5), rolled), gone.number() + 5);
    assertThat(folder.resolve("first/s")).doesNotExist();
    assertHolds(rolled, hlc, "swept");
    // The node took and acknowledged its part, and was away when the snapshot was closed.
    change(5);
    Ref open = new Ref("r", ++numbers);
    long later = history.now();
    Order move = new Order(open, later, Kind.ROLLING, rolled);
    Taken taken = snapshots.take(move, Watch.NONE);
    snapshots.sweep(List.of(rolled, open), numbers);
    snapshots.file(filed);
    assertHolds(rolled, hlc, "swept while open");
    snapshots.file(manifest(open, later, taken, ""));
    assertHolds(open, later, "what was answered for is still there");
    snapshots.sweep(List.of(new Ref("r", ++numbers)), numbers);
    assertThat(folder.resolve("first/r")).doesNotExist();
  }

  @Test
  void snapshotsOfAnotherControlLogAreNotRemoved() throws IOException {
    change(30);
    long hlc = history.now();
    Ref id = take("s", hlc, Kind.INSTANT, Ref.NONE);
    assertThatThrownBy(() -> snapshots.sweep(List.of(), id.number() - 1))
        .isInstanceOf(StrangeSnapshotsException.class)
        .hasMessageContaining("has taking " + id.number())
        .hasMessageContaining("none after " + (id.number() - 1));
    assertHolds(id, hlc, "not swept");
  }

  @Test
  void theSnapshotThatIsReadIsTheRequestedOne() {
    change(30);
    Ref first = take("s", history.now(), Kind.INSTANT, Ref.NONE);
    change(5);
    Ref moved = take("s", history.now(), Kind.ROLLING, first);
    assertThatThrownBy(() -> snapshots.open("s", first.number()))
        .isInstanceOf(SnapshotException.class)
        .hasMessageContaining("has taking %d of snapshot s, not %d".formatted(2, 1));
    Point before = Point.ofSnapshot("s", first.number());
    assertThatThrownBy(() -> snapshots.difference("one", before, Point.ofTime(history.now()), null))
        .isInstanceOf(SnapshotException.class);
    try (OpenSnapshot opened = snapshots.open("s", moved.number())) {
      assertThat(opened.part().id()).isEqualTo(moved);
    }
  }

  @Test
  void aDiscardLeavesTheFolderToTheNextSnapshotOfItsName() {
    change(30);
    Ref late = new Ref("s", ++numbers);
    Ref id = new Ref("s", ++numbers);
    long hlc = history.now();
    // The next one has begun and written nothing yet, when the one before is discarded.
    history.whenSettled = () -> snapshots.discard(late);
    Taken taken = snapshots.take(new Order(id, hlc, Kind.RETROSPECTIVE, Ref.NONE), Watch.NONE);
    snapshots.file(manifest(id, hlc, taken, ""));
    assertHolds(id, hlc, "beside a discard");
  }

  @Test
  void aDamagedByteAnywhereIsFound() throws IOException {
    change(200);
    take("base", history.now(), Kind.INSTANT, Ref.NONE);
    Ref base = new Ref("base", numbers);
    change(20);
    take("inc", history.now(), Kind.INCREMENTAL, base);
    snapshots.verify("inc");
    Random random = new Random(5);
    for (String id : List.of("base", "inc")) {
      for (String name : files("first", id)) {
        // The base's manifest is not needed to read a snapshot over it.
        if (id.equals("base") && name.equals("manifest")) {
          continue;
        }
        Path file = folder.resolve("first").resolve(id).resolve(name);
        byte[] bytes = Files.readAllBytes(file);
        for (int i = 0; i < 20; i++) {
          byte[] damaged = bytes.clone();
          damaged[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
          Files.write(file, damaged);
          assertThatThrownBy(() -> snapshots.verify("inc"))
              .as("file=%s i=%d", name, i)
              .isInstanceOf(SnapshotException.class);
        }
        Files.write(file, bytes);
      }
    }
  }

  @Test
  void aDifferenceOfAnyTwoPointsIsTheDifferenceOfTheReplayedStates() {
    for (long seed = 0; seed < SEEDS; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      change(60);
      Random random = new Random(seed);
      long one = randomTime(random);
      long other = randomTime(random);
      take("one", one, Kind.INSTANT, Ref.NONE);
      take("other", other, Kind.INSTANT, Ref.NONE);
      history.changesDuringAPage = (int) (seed % 2);
      Map<String, String> expected = difference(history.at(one), history.at(other));
      for (Point from : List.of(Point.ofSnapshot("one", 0), Point.ofTime(one))) {
        for (Point to : List.of(Point.ofSnapshot("other", 0), Point.ofTime(other))) {
          assertThat(difference(from, to))
              .as("seed=%d from=%s to=%s", seed, from, to)
              .isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void aSnapshotNearAnotherStartsFromItAndIsStillCompleteAndIndependent() throws IOException {
    change(400);
    Ref far = take("far", history.now(), Kind.INSTANT, Ref.NONE);
    change(100);
    long near = history.now();
    Ref base = take("near", near, Kind.INSTANT, Ref.NONE);
    change(2);
    long hlc = history.now();
    history.pagesRead = 0;
    for (long at : List.of(hlc, near - 1)) {
      Ref id = new Ref("s" + at, ++numbers);
      Taken taken = snapshots.take(new Order(id, at, Kind.RETROSPECTIVE, Ref.NONE), Watch.NONE);
      assertThat(taken.from()).isEqualTo("near");
      snapshots.file(manifest(id, at, taken, ""));
      assertHolds(id, at, "beside its base");
    }
    assertThat(history.pagesRead).isZero();
    snapshots.delete(base.id());
    snapshots.delete(far.id());
    assertHolds(new Ref("s" + hlc, numbers), hlc, "without its base");
    change(100);
    Ref id = new Ref("all", ++numbers);
    Order order = new Order(id, history.now(), Kind.INSTANT, Ref.NONE);
    assertThat(snapshots.take(order, Watch.NONE).from()).as("too much has changed").isEmpty();
  }

  @Test
  void aWindowThatMovesOnWhileANearbySnapshotIsLookedForOnlyHidesIt() {
    change(400);
    take("near", history.now(), Kind.INSTANT, Ref.NONE);
    change(2);
    long hlc = history.now();
    change(5);
    List<String> begunWith = new ArrayList<>();
    for (int looks = 0; looks < 12; looks++) {
      history.looksUntilGone = looks;
      Ref id = new Ref("s" + looks, ++numbers);
      Order order = new Order(id, hlc, Kind.RETROSPECTIVE, Ref.NONE);
      Taken taken = snapshots.take(order, Watch.NONE);
      begunWith.add(taken.from());
      assertThat(history.looksUntilGone).isEqualTo(-1);
      snapshots.file(manifest(id, hlc, taken, ""));
      assertHolds(id, hlc, "looks=" + looks);
      snapshots.delete(id.id());
    }
    // Two looks for the reach of the stores, two for the changes.
    assertThat(begunWith.subList(0, 4)).containsOnly("");
    // When the difference is to be laid over it.
    assertThat(begunWith.subList(4, 12)).contains("");
  }

  @Test
  void aSearchForANearbySnapshotReportsEachSliceAndCanBeStoppedThere() {
    change(400);
    take("near", history.now(), Kind.INSTANT, Ref.NONE);
    history.step = Hlc.ofMicros(10_000_000);
    change(5);
    history.pagesRead = 0;
    int slices = progressWhileSearching(Integer.MAX_VALUE);
    assertThat(slices).isGreaterThan(10);
    for (int wantedFor = 0; wantedFor < slices; wantedFor++) {
      assertThat(progressWhileSearching(wantedFor)).isEqualTo(wantedFor + 1);
      assertThat(folder.resolve("first/s")).doesNotExist();
    }
    assertThat(history.pagesRead).isZero();
  }

  @Test
  void aSearchForANearbySnapshotEndsWhenTooMuchHasChanged() {
    change(400);
    take("near", history.now(), Kind.INSTANT, Ref.NONE);
    history.step = Hlc.ofMicros(10_000_000);
    int few = progressAfter(5);
    assertThat(progressAfter(60)).isLessThan(few / 2);
  }

  private int progressAfter(int changes) {
    change(changes);
    return progressWhileSearching(Integer.MAX_VALUE);
  }

  /** The number of progress reports before the snapshot settles, during the search. */
  private int progressWhileSearching(int wantedFor) {
    int[] reports = {0};
    Order order = new Order(new Ref("s", ++numbers), history.now(), Kind.INSTANT, Ref.NONE);
    boolean[] settled = {false};
    history.whenSettled = () -> settled[0] = true;
    Watch watch = (keys, bytes) -> settled[0] || reports[0]++ < wantedFor;
    if (wantedFor == Integer.MAX_VALUE) {
      snapshots.take(order, watch);
      snapshots.discard(order.id());
    } else {
      assertThatThrownBy(() -> snapshots.take(order, watch)).hasMessage("cancelled");
    }
    return reports[0];
  }

  @Test
  void aKeyThatChangesOftenCountsOnceInTheSearchForANearbySnapshot() {
    change(400);
    take("near", history.now(), Kind.INSTANT, Ref.NONE);
    history.step = Hlc.ofMicros(1_000_000);
    history.keys = 2;
    change(100);
    Order order = new Order(new Ref("s", ++numbers), history.now(), Kind.INSTANT, Ref.NONE);
    assertThat(snapshots.take(order, Watch.NONE).from()).isEqualTo("near");
    // To go through as many changes as this is not less work than to read all keys.
    change(1_000);
    Order busy = new Order(new Ref("busy", ++numbers), history.now(), Kind.INSTANT, Ref.NONE);
    assertThat(snapshots.take(busy, Watch.NONE).from()).isEmpty();
  }

  @Test
  void aWindowThatMovesOnWhileKeysAreReadSlowlyDoesNotSpoilASnapshotOverABase() {
    begin(3, new WindowLogConfig(Duration.ofHours(1), 600_000), "slow");
    history.keys = 10;
    history.valueBytes = 500;
    change(100);
    Ref base = take("base", history.now(), Kind.INSTANT, Ref.NONE);
    change(100);
    long hlc = history.now();
    history.changesDuringAPage = 300;
    history.nanosAKey = 1_000_000_000;
    Ref id = new Ref("s", ++numbers);
    Order order = new Order(id, hlc, Kind.INCREMENTAL, base);
    Taken taken = snapshots.take(order, new Pace(1, () -> history.nanos, n -> {}), Watch.NONE);
    assertThat(history.past("one").reach()).isGreaterThan(hlc);
    snapshots.file(manifest(id, hlc, taken, ""));
    assertHolds(id, hlc, "slow");
  }

  @Test
  void aChainOfSnapshotsThatBeginWithEachOtherStaysShortAndEqualsTheReplay() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      change(300);
      for (int i = 0; i < 3 * Taking.RUNS_MAX; i++) {
        change(1 + i % 3);
        long hlc = history.now();
        Ref id = take("s" + i, hlc, Kind.INSTANT, Ref.NONE);
        assertHolds(id, hlc, "seed=%d i=%d".formatted(seed, i));
        assertThat(files("seed" + seed, "s" + i).size()).isLessThanOrEqualTo(Taking.RUNS_MAX + 2);
        snapshots.delete("s" + Math.max(0, i - 2));
      }
    }
  }

  @Test
  void aNameThatWouldLeadOutOfTheFolderIsRefused() {
    for (String id : List.of("../x", "a/b", "", ".", "A", "1", "a".repeat(64), "a.b")) {
      assertThatThrownBy(() -> snapshots.open(id))
          .isInstanceOf(SnapshotException.class)
          .hasMessageContaining("the name of a snapshot");
    }
  }

  private void change(int times) {
    for (int i = 0; i < times; i++) {
      history.change();
    }
  }

  private List<Long> sample(int count, Random random) {
    return random.longs(count, 0, 1).mapToObj(i -> randomTime(random)).toList();
  }

  private long randomTime(Random random) {
    List<Long> times = history.times();
    return times.get(random.nextInt(times.size()));
  }

  private Ref take(String id, long hlc, Kind kind, Ref base) {
    Ref ref = new Ref(id, ++numbers);
    Taken taken = snapshots.take(new Order(ref, hlc, kind, base), Watch.NONE);
    snapshots.file(manifest(ref, hlc, taken, ""));
    return ref;
  }

  static Manifest manifest(Ref id, long hlc, Taken taken, String failureOfAnother) {
    return new Manifest(
        id,
        hlc,
        Kind.INSTANT,
        Ref.NONE,
        List.of(
            new Manifest.Member(1, 0, 0, 0, failureOfAnother),
            new Manifest.Member(NODE, taken.keys(), taken.bytes(), taken.checksum(), "")));
  }

  private void assertHolds(Ref id, long hlc, String as) {
    Map<String, String> expected = history.at(hlc);
    assertThat(read(id.id())).as("%s hlc=%d", as, hlc).isEqualTo(expected);
    assertThat(snapshots.verify(id.id()).keys()).as(as).isEqualTo(expected.size());
    try (OpenSnapshot opened = snapshots.open(id.id())) {
      for (String store : MapHistory.STORES) {
        for (int i = 0; i < MapHistory.KEYS; i++) {
          byte[] key = bytes("k" + i);
          byte[] record = opened.get(store, key);
          assertThat(record == null ? null : text(record))
              .as("%s %s/k%d", as, store, i)
              .isEqualTo(expected.get(MapHistory.name(store, key)));
        }
      }
    }
  }

  private Map<String, String> read(String id) {
    return read(snapshots, id);
  }

  static Map<String, String> read(LocalSnapshots snapshots, String id) {
    Map<String, String> found = new TreeMap<>();
    try (OpenSnapshot opened = snapshots.open(id)) {
      for (String store : opened.stores()) {
        byte[] after = null;
        for (List<Entry> page = opened.page(store, after, 50);
            !page.isEmpty();
            page = opened.page(store, after, 50)) {
          for (Entry entry : page) {
            found.put(MapHistory.name(store, entry.key()), text(requireNonNull(entry.record())));
            after = entry.key();
          }
        }
      }
    }
    return found;
  }

  private static Map<String, String> difference(
      Map<String, String> before, Map<String, String> after) {
    Map<String, String> found = new TreeMap<>();
    for (String store : MapHistory.STORES) {
      for (int i = 0; i < MapHistory.KEYS; i++) {
        String key = MapHistory.name(store, bytes("k" + i));
        String change = before.get(key) + " -> " + after.get(key);
        if (!java.util.Objects.equals(before.get(key), after.get(key))) {
          found.put(key, change);
        }
      }
    }
    return found;
  }

  private Map<String, String> difference(Point before, Point after) {
    Map<String, String> found = new TreeMap<>();
    for (String store : MapHistory.STORES) {
      byte[] behind = null;
      do {
        DifferencePage page = snapshots.difference(store, before, after, behind);
        for (DifferencePage.Difference d : page.keys()) {
          String change =
              (d.before() == null ? null : text(d.before()))
                  + " -> "
                  + (d.after() == null ? null : text(d.after()));
          found.put(MapHistory.name(store, d.key()), change);
        }
        behind = page.end();
      } while (behind != null);
    }
    return found;
  }

  private List<String> files(String name, String id) throws IOException {
    List<String> names = new ArrayList<>();
    try (var files = Files.list(folder.resolve(name).resolve(id))) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    return names.stream().sorted().toList();
  }
}
