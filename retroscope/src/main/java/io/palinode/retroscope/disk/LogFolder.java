package io.palinode.retroscope.disk;

import io.palinode.retroscope.disklog.LogVolume;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Files of a window-log in a folder of their own.
 *
 * <pre>
 * STATE                   the log's state
 * 0000000000000007.log    a file, by number
 * REWRITTEN               what is to take the place of one
 * </pre>
 *
 * Interrupts are put off while a file is used: they would close it.
 */
public final class LogFolder implements LogVolume {
  private static final String STATE = "STATE";
  private static final String REWRITTEN = "REWRITTEN";
  private static final String SUFFIX = ".log";
  private static final int DIGITS = 16;
  private static final byte[] ZEROS = new byte[64 << 10];
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  private final Path folder;
  private final String boot;

  private LogFolder(Path folder, String boot) {
    this.folder = folder;
    this.boot = boot;
  }

  /** Opens the folder, or makes it. */
  public static LogFolder open(Path folder) throws IOException {
    OwnerOnly.createFolders(folder);
    return new LogFolder(folder, Files.isReadable(BOOT) ? Files.readString(BOOT).strip() : "");
  }

  /** Like the other, in a run of the machine that {@code boot} names. */
  public static LogFolder open(Path folder, String boot) throws IOException {
    OwnerOnly.createFolders(folder);
    return new LogFolder(folder, boot);
  }

  @Override
  public String name() {
    return folder.toString();
  }

  @Override
  public String boot() {
    return boot;
  }

  @Override
  public long freeBytes() throws IOException {
    return Files.getFileStore(folder).getUsableSpace();
  }

  @Override
  public byte @Nullable [] readState() throws IOException {
    Path file = folder.resolve(STATE);
    return Files.exists(file) ? Files.readAllBytes(file) : null;
  }

  @Override
  public ByteBuffer writeState(byte[] state) throws IOException {
    // Moved into place whole: a crash leaves the old one.
    Path begun = folder.resolve(STATE + ".new");
    ByteBuffer mapped =
        uninterrupted(
            () -> {
              Files.write(begun, state);
              return map(begun, MapMode.READ_WRITE);
            });
    Files.move(
        begun,
        folder.resolve(STATE),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    return mapped;
  }

  @Override
  public List<Long> numbers() throws IOException {
    try (Stream<Path> found = Files.list(folder)) {
      return found
          .map(path -> path.getFileName().toString())
          .filter(name -> name.matches("\\d{" + DIGITS + "}\\" + SUFFIX))
          .map(name -> Long.parseLong(name.substring(0, DIGITS)))
          .sorted()
          .toList();
    }
  }

  @Override
  public Fresh create(long number, int bytes) throws IOException {
    Path path = path(number);
    Files.createFile(path);
    return fresh(path, bytes);
  }

  private static Fresh fresh(Path path, int bytes) throws IOException {
    return uninterrupted(
        () -> {
          RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
          try {
            file.setLength(bytes);
            return new FreshFile(file, file.getChannel().map(MapMode.READ_WRITE, 0, bytes));
          } catch (IOException e) {
            file.close();
            throw e;
          }
        });
  }

  private record FreshFile(RandomAccessFile file, ByteBuffer bytes) implements Fresh {
    /** Zeros that are written, not put, are refused when there is no room; what follows fits. */
    @Override
    public void reserve(int from, int count) throws IOException {
      file.seek(from);
      for (int left = count; left > 0; left -= ZEROS.length) {
        file.write(ZEROS, 0, Math.min(left, ZEROS.length));
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  @Override
  public ByteBuffer map(long number) throws IOException {
    try {
      return uninterrupted(() -> map(path(number), MapMode.READ_ONLY));
    } catch (NoSuchFileException missing) {
      FileNotFoundException same = new FileNotFoundException(missing.getMessage());
      same.initCause(missing);
      throw same;
    }
  }

  private static ByteBuffer map(Path path, MapMode mode) throws IOException {
    StandardOpenOption[] options =
        mode == MapMode.READ_ONLY
            ? new StandardOpenOption[] {StandardOpenOption.READ}
            : new StandardOpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE};
    try (FileChannel channel = FileChannel.open(path, options)) {
      return channel.map(mode, 0, channel.size());
    }
  }

  @Override
  public Fresh rewrite(int bytes) throws IOException {
    discardRewrite();
    return fresh(folder.resolve(REWRITTEN), bytes);
  }

  @Override
  public void replace(long number, int bytes) throws IOException {
    Path rewritten = folder.resolve(REWRITTEN);
    uninterrupted(
        () -> {
          try (FileChannel channel = FileChannel.open(rewritten, StandardOpenOption.WRITE)) {
            return channel.truncate(bytes);
          }
        });
    Files.move(rewritten, path(number), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void discardRewrite() throws IOException {
    Files.deleteIfExists(folder.resolve(REWRITTEN));
  }

  @Override
  public void force(long number) throws IOException {
    force(path(number), StandardOpenOption.WRITE);
  }

  /** Of a folder, which can be read only. */
  @Override
  public void forceState() throws IOException {
    force(folder.resolve(STATE), StandardOpenOption.WRITE);
    force(folder, StandardOpenOption.READ);
  }

  private static void force(Path path, StandardOpenOption option) throws IOException {
    uninterrupted(
        () -> {
          try (FileChannel channel = FileChannel.open(path, option)) {
            channel.force(true);
            return true;
          }
        });
  }

  @Override
  public void remove(long number, boolean mapped) throws IOException {
    Path path = path(number);
    if (!mapped && Files.exists(path)) {
      // A file that is still mapped but unused would hold the space until the garbage collector
      // unmaps it.
      FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)
          .close();
    }
    Files.deleteIfExists(path);
  }

  private Path path(long number) {
    return folder.resolve(String.format("%0" + DIGITS + "d", number) + SUFFIX);
  }

  /** Uses a file. */
  @FunctionalInterface
  private interface Use<T> {
    T of() throws IOException;
  }

  private static <T> T uninterrupted(Use<T> use) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      return use.of();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
