package io.palinode.retroscope.snapshot.file;

import io.palinode.retroscope.disk.OwnerOnly;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a node keeps its parts.
 *
 * <pre>
 * snapshots/
 *   before-deploy/
 *     manifest      {@link Manifest}: names the taking that counts
 *     part-7        {@link Part} of taking 7: names its runs
 *     run-7-0       {@link RunWriter a run}: all keys
 *     run-7-1       what differs from it
 * </pre>
 *
 * <p>A file is whole or it is not there: a run is nothing before a part names it, and a part
 * nothing before the manifest names its taking. Files that nothing names are left by a crash;
 * {@link LocalSnapshots#sweep} removes them. Throws {@link SnapshotException} when the disk does.
 */
public final class SnapshotFolder {
  public static final String MANIFEST = "manifest";
  private static final String FRESH = ".tmp";
  private static final Pattern TAKING = Pattern.compile("^(?:part|run)-(\\d{1,18})(?!\\d)");

  private final Path root;
  private final Sync sync;
  private final Room room;
  // Guarded by this.
  private final Map<String, Integer> entered = new HashMap<>();

  public SnapshotFolder(Path root) {
    this(root, SnapshotFolder::syncFolder, Room.ofTheDisk());
  }

  public SnapshotFolder(Path root, Sync sync, Room room) {
    this.root = root;
    this.sync = sync;
    this.room = room;
  }

  /** Puts on the disk which files a folder has. */
  @FunctionalInterface
  public interface Sync {
    void sync(Path folder) throws IOException;
  }

  private static void syncFolder(Path folder) throws IOException {
    try (FileChannel opened = FileChannel.open(folder, StandardOpenOption.READ)) {
      opened.force(true);
    }
  }

  /** What its snapshots leave of the disk. */
  public Room room() {
    return room;
  }

  public Path of(String id) {
    return root.resolve(Ref.requireId(id));
  }

  /**
   * Makes the folder of a snapshot if it is not there. It stays, though it be empty, until it is
   * {@link #left}, as often as it was entered.
   */
  public synchronized void entered(String id) {
    Path folder = of(id);
    try {
      boolean isFirst = !Files.isDirectory(root);
      if (!Files.isDirectory(folder)) {
        OwnerOnly.createFolders(folder);
        sync.sync(root);
      }
      if (isFirst) {
        sync.sync(Objects.requireNonNull(root.toAbsolutePath().getParent()));
      }
      entered.merge(id, 1, Integer::sum);
    } catch (IOException e) {
      throw failed("the folder of snapshot " + id + " cannot be made", e);
    }
  }

  public synchronized void left(String id) {
    entered.computeIfPresent(id, (same, times) -> times == 1 ? null : times - 1);
    removeEmpty(id);
  }

  private synchronized void removeEmpty(String id) {
    if (entered.containsKey(id)) {
      return;
    }
    try {
      Files.deleteIfExists(of(id));
    } catch (DirectoryNotEmptyException inUse) {
      // As it is to be.
    } catch (IOException e) {
      throw failed("the folder of snapshot " + id + " cannot be removed", e);
    }
  }

  public static String partName(long number) {
    return "part-" + number;
  }

  public static String runName(long number, int run) {
    return "run-" + number + "-" + run;
  }

  public static boolean isOf(long number, String file) {
    return numberOf(file) == number;
  }

  /** The taking that a file belongs to; -1: none, as a manifest. */
  public static long numberOf(String file) {
    Matcher matcher = TAKING.matcher(file);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
  }

  public static boolean isManifest(String file) {
    return file.equals(MANIFEST);
  }

  /** Null when the snapshot is not done, or not there. */
  public @Nullable Manifest manifest(String id) {
    byte[] bytes = read(id, MANIFEST);
    return bytes == null ? null : Manifest.decode("the manifest of snapshot " + id, bytes);
  }

  public void write(Manifest manifest) {
    write(manifest.id().id(), MANIFEST, manifest.encode());
  }

  /** Null when there is none. */
  public byte @Nullable [] partBytes(Ref id) {
    return read(id.id(), partName(id.number()));
  }

  public static Part part(Ref id, byte[] bytes) {
    return Part.decode("the part of snapshot " + id.id(), bytes);
  }

  public void write(Part part, byte[] bytes) {
    write(part.id().id(), partName(part.id().number()), bytes);
  }

  private byte @Nullable [] read(String id, String name) {
    try {
      return Files.readAllBytes(of(id).resolve(name));
    } catch (NoSuchFileException absent) {
      return null;
    } catch (IOException e) {
      throw failed("the file " + name + " of snapshot " + id + " cannot be read", e);
    }
  }

  /** Moved into its place when it is on the disk; when this returns, that is on the disk too. */
  private void write(String id, String name, byte[] bytes) {
    Path fresh = of(id).resolve(name + FRESH);
    try {
      try (FileOutputStream out = new FileOutputStream(fresh.toFile())) {
        out.write(bytes);
        out.getFD().sync();
      }
      Files.move(
          fresh,
          of(id).resolve(name),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
      sync.sync(of(id));
    } catch (IOException e) {
      throw failed("the file " + name + " of snapshot " + id + " cannot be written", e);
    }
  }

  /** Other files there belong to no snapshot. */
  public List<String> ids() {
    return names(root).stream().filter(Ref::isId).toList();
  }

  /** Numbers of the takings whose parts are here, whether they count or not. */
  public List<Long> parts(String id) {
    return names(of(id)).stream()
        .filter(name -> name.equals(partName(numberOf(name))))
        .map(SnapshotFolder::numberOf)
        .toList();
  }

  /** The greatest number of a taking that has files there; -1: none has. */
  public long lastNumber(String id) {
    return names(of(id)).stream().mapToLong(SnapshotFolder::numberOf).max().orElse(-1);
  }

  /** Removes the files that are not wanted, and the folder when nothing is left in it. */
  public void keepOnly(String id, Predicate<String> wanted) {
    try {
      for (String name : names(of(id))) {
        if (!wanted.test(name)) {
          Files.deleteIfExists(of(id).resolve(name));
        }
      }
    } catch (IOException e) {
      throw failed("files of snapshot " + id + " cannot be removed", e);
    }
    removeEmpty(id);
  }

  private static List<String> names(Path folder) {
    List<String> names = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return names;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    } catch (NoSuchFileException gone) {
      // It was removed in between.
      return names;
    } catch (IOException e) {
      throw failed("the folder " + folder + " cannot be read", e);
    }
    return names;
  }

  private static SnapshotException failed(String what, IOException e) {
    return new SnapshotException(what + ": " + e, e);
  }
}
