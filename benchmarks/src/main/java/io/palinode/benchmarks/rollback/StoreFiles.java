package io.palinode.benchmarks.rollback;

import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.order.NodeMeta;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.bdb.BdbEngine;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The files of a store: made once, and copied as a backup is copied back. */
final class StoreFiles {
  private static final int BATCH = 10_000;

  private StoreFiles() {}

  /** A folder with {@code keys} records. */
  static void make(Path folder, String store, int keys, int valueBytes) throws IOException {
    Files.createDirectories(folder);
    byte[] record =
        Siblings.encode(List.of(Versioned.ofText("x".repeat(valueBytes), Keys.version(1))));
    try (BdbEngine engine =
        BdbEngine.open(folder, List.of(store, NodeMeta.STORE), BdbConfig.DEFAULT)) {
      List<Change> batch = new ArrayList<>(BATCH);
      for (int i = 0; i < keys; i++) {
        batch.add(new Change(store, Keys.key(i), record));
        if (batch.size() == BATCH || i == keys - 1) {
          engine.commit(batch, Durability.BUFFERED);
          batch.clear();
        }
      }
    }
  }

  /** Replaces {@code to}; on return the copy is on the disk. Returns its bytes. */
  static long copy(Path from, Path to) throws IOException {
    delete(to);
    Files.createDirectories(to);
    long bytes = 0;
    for (Path file : files(from)) {
      try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ);
          FileChannel out =
              FileChannel.open(
                  to.resolve(file.getFileName()),
                  StandardOpenOption.CREATE_NEW,
                  StandardOpenOption.WRITE)) {
        for (long at = 0; at < in.size(); ) {
          at += in.transferTo(at, in.size() - at, out);
        }
        out.force(true);
        bytes += in.size();
      }
    }
    return bytes;
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    for (Path file : files(folder)) {
      Files.delete(file);
    }
    Files.delete(folder);
  }

  /** JE's log files; its lock is not one of them. */
  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(Files::isRegularFile).sorted(Comparator.naturalOrder()).toList();
    }
  }
}
