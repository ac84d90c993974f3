package io.palinode.retroscope.snapshot;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.Part;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.Run;
import io.palinode.retroscope.snapshot.file.SnapshotFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A part of a snapshot, taken step by step. */
class TakingTest {
  /** Three keys or so. */
  private static final long HEAP_BYTES_MAX = 500;

  @TempDir Path root;
  private final MapHistory history = new MapHistory(new Random(7), WindowLogConfig.DEFAULT);

  private Taking taking(SnapshotFolder folder, String id, long number, long hlc) {
    folder.entered(id);
    Order order = new Order(new Ref(id, number), hlc, Kind.RETROSPECTIVE, Ref.NONE);
    Taking.Means means = new Taking.Means(history, folder, HEAP_BYTES_MAX, () -> history.nanos);
    return new Taking(1, means, order, Watch.NONE);
  }

  private void change(int times) {
    for (int i = 0; i < times; i++) {
      history.change();
    }
  }

  private Set<String> filesOf(String id) throws IOException {
    try (Stream<Path> files = Files.list(root.resolve(id))) {
      return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    }
  }

  @Test
  void heldFilesOutlastTheBaseAndNoOthersDo() throws IOException {
    SnapshotFolder folder = new SnapshotFolder(root, synced -> {}, RoomTest.PLENTY);
    change(200);
    Part near;
    try (Taking first = taking(folder, "near", 1, history.now())) {
      near = first.make();
    }
    change(3);
    long hlc = history.now();
    change(30);
    try (Taking second = taking(folder, "second", 2, hlc)) {
      second.hold();
      Set<String> held = filesOf("second");
      assertThat(held).as("more is held than fits into memory").hasSizeGreaterThan(1);

      second.beginningWith(near);
      assertThat(filesOf("second")).hasSize(held.size() + near.runs().size());
      second.withoutBase();
      assertThat(filesOf("second")).isEqualTo(held);

      change(30);
      Part part = second.make();
      assertThat(stateIn(folder, part)).isEqualTo(history.at(hlc));
      assertThat(filesOf("second"))
          .isEqualTo(part.runs().stream().map(Run::name).collect(Collectors.toSet()));
    }
  }

  private static Map<String, String> stateIn(SnapshotFolder folder, Part part) {
    Map<String, String> state = new TreeMap<>();
    try (OpenSnapshot opened = OpenSnapshot.open(folder, part)) {
      for (String store : MapHistory.STORES) {
        List<Entry> all = opened.page(store, null, Integer.MAX_VALUE);
        for (Entry entry : all) {
          String name = MapHistory.name(store, entry.key());
          state.put(name, MapHistory.text(requireNonNull(entry.record())));
        }
      }
    }
    return state;
  }
}
