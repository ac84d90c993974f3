package io.palinode.voldemort.bdb;

import io.palinode.retroscope.disk.OwnerOnly;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of one node, held for this process until {@link #close}.
 *
 * <pre>
 * data/
 *   node-0/
 *     VERSION   "palinode-data=1 node=0 nodes=3"
 *     LOCK      locked while a process uses the folder
 *     bdb/      the Berkeley DB environment
 *     STORE-END the count of the store's commits
 *     AWAITS-REPAIR  "3 crc32c=…", present while the store lacks records of other replicas
 *     REPAIRED  "3 crc32c=…", the last incarnation whose losses were repaired
 *     snapshots/  one folder a snapshot
 *     window-log/  two folders a store: changes and deletes
 *     damaged-1/  files that {@link Recovery} has moved aside
 * </pre>
 */
public final class DataFolder implements AutoCloseable {
  static final int FORMAT = 1;

  private static final Logger log = LoggerFactory.getLogger(DataFolder.class);

  private static final String VERSION_FILE = "VERSION";
  private static final String LOCK_FILE = "LOCK";
  private static final String BDB = "bdb";
  private static final String STORE_END = "STORE-END";
  private static final String REPAIR = "AWAITS-REPAIR";
  private static final String REPAIRED = "REPAIRED";
  private static final String SNAPSHOTS = "snapshots";
  private static final String WINDOW_LOG = "window-log";

  private final Path folder;
  private final FileChannel lockChannel;

  private DataFolder(Path folder, FileChannel lockChannel) {
    this.folder = folder;
    this.lockChannel = lockChannel;
  }

  /**
   * Opens or creates the folder of {@code node} under {@code data}. Throws {@link
   * DataFolderException} if it has another format or node, cannot be written, or is in use.
   */
  public static DataFolder open(Path data, int node, int nodes) {
    Path folder = data.resolve("node-" + node);
    try {
      OwnerOnly.createFolders(folder);
      FileChannel lockChannel = lock(folder);
      try {
        if (!OwnerOnly.claim(folder)) {
          log.warn("folder={} other users may read it: run 'chmod -R go-rwx' on it", folder);
        }
        claim(folder, new Label(FORMAT, node, nodes));
        OwnerOnly.createFolders(folder.resolve(BDB));
        return new DataFolder(folder, lockChannel);
      } catch (IOException | DataFolderException e) {
        lockChannel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new DataFolderException(
          "the data folder %s cannot be written (%s): choose another folder or give this user the right to write it"
              .formatted(folder, e),
          e);
    }
  }

  /**
   * Throws {@link DiskFullException} if its file system has less than {@code bytes} free. A node
   * that started then would refuse each write.
   */
  public void requireFree(long bytes) {
    long free;
    try {
      free = Files.getFileStore(folder).getUsableSpace();
    } catch (IOException e) {
      // If the file system does not report its free space, the node starts.
      return;
    }
    if (free < bytes) {
      throw new DiskFullException(folder, free, bytes);
    }
  }

  /** The folder of the Berkeley DB environment. */
  public Path bdb() {
    return folder.resolve(BDB);
  }

  /** The file that counts the commits of {@link #bdb}. */
  public Path storeEnd() {
    return folder.resolve(STORE_END);
  }

  /** The folder of snapshots; absent before the first one. */
  public Path snapshots() {
    return folder.resolve(SNAPSHOTS);
  }

  /** Whether the store lacks records of other replicas, until {@link #repaired}. */
  public boolean awaitsRepair() {
    return Files.exists(folder.resolve(REPAIR));
  }

  /**
   * Marks the store: the node serves no client until {@link #repaired}.
   *
   * @param incarnation the newest incarnation that had the missing data; 0 if unknown
   */
  public void awaitRepair(long incarnation) {
    write(REPAIR, incarnation);
  }

  /** Removes the mark: the store has all records of other replicas. */
  public void repaired() {
    write(REPAIRED, Math.max(repairedIncarnation(), number(REPAIR)));
    try {
      Files.deleteIfExists(folder.resolve(REPAIR));
    } catch (IOException e) {
      throw unwritable(REPAIR, e);
    }
  }

  /** The last incarnation whose losses were repaired; 0 if there is none. */
  public long repairedIncarnation() {
    return number(REPAIRED);
  }

  /** The newest incarnation that had data which the store lacks, or lacked; 0 if unknown. */
  public long hadIncarnation() {
    return Math.max(number(REPAIR), repairedIncarnation());
  }

  private void write(String file, long number) {
    try {
      Path fresh = folder.resolve(file + ".new");
      Files.writeString(fresh, checked(Long.toString(number)) + "\n");
      Files.move(
          fresh,
          folder.resolve(file),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw unwritable(file, e);
    }
  }

  /** 0 for a damaged file: the node is then repaired again. Earlier releases wrote no checksum. */
  private long number(String file) {
    Path path = folder.resolve(file);
    try {
      String text = Files.exists(path) ? Files.readString(path).strip() : "";
      String number = text.replaceFirst(" .*", "");
      boolean isWhole = text.equals(number) || text.equals(checked(number));
      return isWhole && number.matches("\\d{1,18}") ? Long.parseLong(number) : 0;
    } catch (IOException e) {
      return 0;
    }
  }

  private static String checked(String number) {
    CRC32C crc = new CRC32C();
    crc.update(number.getBytes(StandardCharsets.UTF_8));
    return "%s crc32c=%08x".formatted(number, crc.getValue());
  }

  private DataFolderException unwritable(String file, IOException e) {
    return new DataFolderException(
        "the file %s cannot be written (%s): give this user the right to write it"
            .formatted(folder.resolve(file), e),
        e);
  }

  /** The folder of window-logs; absent before the first one. */
  public Path windowLogs() {
    return folder.resolve(WINDOW_LOG);
  }

  /** The folder of one log of a store; absent before its first entry. */
  public Path windowLog(String store, String log) {
    // A store may have any name, also "..", which is not a folder's name.
    return windowLogs()
        .resolve("store-" + URLEncoder.encode(store, StandardCharsets.UTF_8))
        .resolve(log);
  }

  /** Releases the folder for another process. */
  @Override
  public void close() {
    try {
      lockChannel.close();
    } catch (IOException e) {
      throw new DataFolderException(
          "the lock of the data folder %s was not released (%s): end this process before another uses the folder"
              .formatted(folder, e),
          e);
    }
  }

  private static FileChannel lock(Path folder) throws IOException {
    FileChannel channel =
        FileChannel.open(
            folder.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      // This process itself holds the lock: refuse as for any other holder, below.
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    if (lock == null) {
      throw new DataFolderException(
          "the data folder %s is in use by another running node: stop that node or choose another folder"
              .formatted(folder),
          null);
    }
    return channel;
  }

  private static void claim(Path folder, Label wanted) throws IOException {
    Path file = folder.resolve(VERSION_FILE);
    if (!Files.exists(file)) {
      if (Files.exists(folder.resolve(BDB))) {
        throw new DataFolderException(
            "the folder %s holds data but no %s file: choose another folder"
                .formatted(folder, VERSION_FILE),
            null);
      }
      // Moved into place when complete: a crash leaves no partial label.
      Path fresh = folder.resolve(VERSION_FILE + ".new");
      Files.writeString(fresh, wanted.text() + "\n");
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return;
    }
    if (!Files.isWritable(file)) {
      throw new IOException(file + " is read-only");
    }
    String found = Files.readString(file).strip();
    Label label = Label.parse(found);
    if (!wanted.equals(label)) {
      throw new DataFolderException(
          "the data folder %s %s (found '%s', expected '%s'): choose another folder or %s"
              .formatted(
                  folder, wanted.difference(label), found, wanted.text(), wanted.wayBack(label)),
          null);
    }
  }

  /** The content of the VERSION file. */
  private record Label(int format, int node, int nodes) {
    String text() {
      return "palinode-data=%d node=%d nodes=%d".formatted(format, node, nodes);
    }

    static @Nullable Label parse(String text) {
      var matcher =
          java.util.regex.Pattern.compile(
                  "palinode-data=(\\d{1,9}) node=(\\d{1,9}) nodes=(\\d{1,9})")
              .matcher(text);
      return matcher.matches()
          ? new Label(
              Integer.parseInt(matcher.group(1)),
              Integer.parseInt(matcher.group(2)),
              Integer.parseInt(matcher.group(3)))
          : null;
    }

    String difference(@Nullable Label found) {
      if (found == null || found.format != format) {
        return "is of another format";
      }
      return found.node != node
          ? "belongs to another node"
          : "belongs to a cluster of another size";
    }

    String wayBack(@Nullable Label found) {
      if (found == null || found.format != format) {
        return "use the Palinode release that wrote it";
      }
      return found.node != node
          ? "start node " + found.node + " on it"
          : "start a cluster of " + found.nodes + " nodes on it";
    }
  }
}
