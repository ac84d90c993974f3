package io.palinode.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A small file system in memory for one node, which another program fills. For one thread. */
final class Volume implements AutoCloseable {
  private static final String SIZE = "2g";
  private static final int CHUNK_BYTES = 1 << 20;
  private static final long COMMAND_SECONDS_MAX = 10;

  private final Path folder;
  private final Path filling;

  private Volume(Path folder) {
    this.folder = folder;
    this.filling = folder.resolve("filling");
  }

  /** Mounts it in an empty folder. Null where only root may mount, and for another user. */
  static @Nullable Volume mount(Path folder) throws IOException {
    boolean mounted =
        runs("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "tmpfs", folder.toString());
    return mounted ? new Volume(folder) : null;
  }

  /** To the last byte. */
  void fill() throws IOException {
    try (OutputStream out = Files.newOutputStream(filling)) {
      while (true) {
        out.write(new byte[CHUNK_BYTES]);
      }
    } catch (IOException full) {
      if (!Files.exists(filling)) {
        throw full;
      }
    }
  }

  /** Gives the room back. */
  void free() throws IOException {
    Files.deleteIfExists(filling);
  }

  /** Unmounts it; what is on it is gone. */
  @Override
  public void close() {
    boolean unused = runs("umount", "--lazy", folder.toString());
  }

  private static boolean runs(String... command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(COMMAND_SECONDS_MAX, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
