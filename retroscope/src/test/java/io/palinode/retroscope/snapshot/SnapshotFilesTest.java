package io.palinode.retroscope.snapshot;

import static io.palinode.retroscope.snapshot.MapHistory.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Manifest;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.Room;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import io.palinode.retroscope.snapshot.file.StrangeSnapshotsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The files of snapshots: cancelled, damaged, discarded, and after a crash. */
class SnapshotFilesTest extends LocalSnapshotsFixture {
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
  void aNameThatWouldLeadOutOfTheFolderIsRefused() {
    for (String id : List.of("../x", "a/b", "", ".", "A", "1", "a".repeat(64), "a.b")) {
      assertThatThrownBy(() -> snapshots.open(id))
          .isInstanceOf(SnapshotException.class)
          .hasMessageContaining("the name of a snapshot");
    }
  }
}
