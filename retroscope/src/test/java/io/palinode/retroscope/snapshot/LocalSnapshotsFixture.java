package io.palinode.retroscope.snapshot;

import static io.palinode.retroscope.snapshot.MapHistory.bytes;
import static io.palinode.retroscope.snapshot.MapHistory.text;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Manifest;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.Room;
import io.palinode.retroscope.snapshot.file.SnapshotFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of a node whose past states are all known. */
class LocalSnapshotsFixture {
  static final int SEEDS = Integer.getInteger("palinode.seeds", 300) / 50;
  static final int NODE = 3;

  @TempDir Path folder;
  MapHistory history;
  LocalSnapshots snapshots;
  Room room = RoomTest.PLENTY;
  long numbers;

  @BeforeEach
  void begin() {
    begin(7, WindowLogConfig.DEFAULT, "first");
  }

  final void begin(long seed, WindowLogConfig config, String name) {
    history = new MapHistory(new Random(seed), config);
    // With every other seed, three keys or so fit into memory.
    long heapBytesMax = seed % 2 == 0 ? 500 : LocalSnapshots.HEAP_BYTES_MAX;
    SnapshotFolder files = new SnapshotFolder(folder.resolve(name), synced -> {}, room);
    snapshots =
        new LocalSnapshots(NODE, history, files, heapBytesMax, new Takings(System::nanoTime));
  }

  void change(int times) {
    for (int i = 0; i < times; i++) {
      history.change();
    }
  }

  Ref take(String id, long hlc, Kind kind, Ref base) {
    return take(id, hlc, kind, base, Watch.NONE);
  }

  Ref take(String id, long hlc, Kind kind, Ref base, Watch watch) {
    Ref ref = new Ref(id, ++numbers);
    Taken taken = snapshots.take(new Order(ref, hlc, kind, base), watch);
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

  void assertHolds(Ref id, long hlc, String as) {
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

  Map<String, String> read(String id) {
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

  List<String> files(String name, String id) throws IOException {
    List<String> names = new ArrayList<>();
    try (var files = Files.list(folder.resolve(name).resolve(id))) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    return names.stream().sorted().toList();
  }
}
