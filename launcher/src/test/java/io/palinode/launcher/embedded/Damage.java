package io.palinode.launcher.embedded;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.Stream;

/** Copies of folders, and damage to their files. */
final class Damage {
  private Damage() {}

  /** Flips a bit of the file, or cuts it. Returns what was done. */
  static String of(Path file, boolean cuts, Random random) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      long at = random.nextLong(bytes.length());
      if (cuts) {
        bytes.setLength(at);
        return "%s cut to %d bytes".formatted(file, at);
      }
      int bit = random.nextInt(8);
      bytes.seek(at);
      int was = bytes.read();
      bytes.seek(at);
      bytes.write(was ^ (1 << bit));
      return "bit %d of byte %d of %s".formatted(bit, at, file);
    }
  }

  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }

  /** The deepest first. */
  static void delete(Path tree) throws IOException {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
