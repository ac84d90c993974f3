package io.palinode.store.hosted;

import io.palinode.retroscope.disk.OwnerOnly;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's own records, one file each, and the journal of a commit. A file is replaced
 * atomically. For one thread at a time. Throws {@link StorageException}.
 *
 * <pre>
 * record  | sealed u8 = 0xFE | CRC-32C of the record i32 | record |; of an earlier release: | record |,
 *         | which begins with 1
 * journal | version u8 = 2 | changes i32 | per change: store UTF, key length i32, key,
 *         | record length i32 (-1: removed), record, then length and record before
 *         | CRC-32C of all before i32 |
 * </pre>
 */
public final class MetaFiles {
  private static final byte VERSION = 2;
  private static final String JOURNAL = "journal";
  private static final String SPARE = "spare";
  private static final Logger log = LoggerFactory.getLogger(MetaFiles.class);

  /** Differs in all bits from the first byte of an earlier release's record. */
  private static final byte SEALED = (byte) 0xFE;

  private static final byte UNSEALED = 1;
  private static final int SEAL_BYTES = 1 + Integer.BYTES;

  private final Path folder;
  private final @Nullable SpareFile spare;

  /**
   * A change of a commit.
   *
   * @param before the record before the commit; null for none
   */
  public record Planned(Change change, byte @Nullable [] before) {}

  /** Opens the folder, or creates it. */
  public MetaFiles(Path folder) {
    this.folder = folder;
    try {
      OwnerOnly.createFolders(folder);
      if (!OwnerOnly.claim(folder)) {
        log.warn("folder={} other users may read it: run 'chmod -R go-rwx' on it", folder);
      }
    } catch (IOException e) {
      throw new StorageException("making " + folder + " failed: " + e, e);
    }
    this.spare = spareIn(folder);
  }

  /** On a full disk the node runs without it: promises then need free space. */
  private static @Nullable SpareFile spareIn(Path folder) {
    try {
      return SpareFile.open(folder.resolve(SPARE));
    } catch (StorageException e) {
      log.warn("folder={} no room was set aside for the clock promise", folder, e);
      return null;
    }
  }

  /** Writes into allocated room; false if that fails. */
  public boolean putSpare(byte[] record, boolean synced) {
    if (spare == null) {
      return false;
    }
    try {
      spare.write(record, synced);
      return true;
    } catch (StorageException e) {
      log.debug("folder={} the spare room does not take a record", folder, e);
      return false;
    }
  }

  public byte @Nullable [] spare() {
    return spare == null ? null : spare.read();
  }

  public byte @Nullable [] get(byte[] key) {
    byte[] bytes = read(file(key));
    return bytes == null ? null : unsealed(bytes, file(key));
  }

  private static byte[] sealed(byte[] record) {
    return ByteBuffer.allocate(SEAL_BYTES + record.length)
        .put(SEALED)
        .putInt(crc(record, record.length))
        .put(record)
        .array();
  }

  private static byte[] unsealed(byte[] bytes, Path file) {
    if (bytes.length > 0 && bytes[0] == UNSEALED) {
      return bytes;
    }
    if (bytes.length >= SEAL_BYTES && bytes[0] == SEALED) {
      byte[] record = Arrays.copyOfRange(bytes, SEAL_BYTES, bytes.length);
      if (ByteBuffer.wrap(bytes).getInt(1) == crc(record, record.length)) {
        return record;
      }
    }
    throw new StorageException(
        "the file %s is damaged: put it back, or move its folder away, and the node begins again with a coverage gap"
            .formatted(file),
        new IOException("its checksum is wrong"));
  }

  /** Writes each change separately. */
  public void put(List<Change> changes, boolean synced) {
    for (Change change : changes) {
      byte[] record = change.record();
      if (record == null) {
        delete(file(change.key()));
      } else {
        write(file(change.key()), sealed(record), synced);
      }
    }
  }

  /** Writes the journal; on the medium when it returns. */
  public void writeJournal(List<Planned> changes) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.writeByte(VERSION);
      out.writeInt(changes.size());
      for (Planned planned : changes) {
        Change change = planned.change();
        out.writeUTF(change.store());
        writeArray(out, change.key());
        writeArray(out, change.record());
        writeArray(out, planned.before());
      }
      out.writeInt(crc(bytes.toByteArray(), bytes.size()));
    } catch (IOException e) {
      throw new StorageException("a journal cannot be made: " + e, e);
    }
    write(folder.resolve(JOURNAL), bytes.toByteArray(), true);
  }

  /** Removes the journal; off the medium when it returns, or a later start would apply it. */
  public void removeJournal() {
    delete(folder.resolve(JOURNAL));
    try {
      syncFolder();
    } catch (IOException e) {
      throw new StorageException("syncing " + folder + " failed: " + e, e);
    }
  }

  /** The changes of an interrupted commit; empty if there was none. */
  public List<Planned> journal() {
    byte[] bytes = read(folder.resolve(JOURNAL));
    if (bytes == null) {
      return List.of();
    }
    int body = bytes.length - Integer.BYTES;
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    try {
      if (body < 0 || ByteBuffer.wrap(bytes).getInt(body) != crc(bytes, body)) {
        throw new IOException("its checksum is wrong");
      }
      if (in.readByte() != VERSION) {
        throw new IOException("it must be of version " + VERSION);
      }
      int count = in.readInt();
      List<Planned> changes = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        String store = in.readUTF();
        byte[] key = readArray(in);
        Change change = new Change(store, key == null ? new byte[0] : key, readArray(in));
        changes.add(new Planned(change, readArray(in)));
      }
      return changes;
    } catch (IOException e) {
      throw new StorageException("reading " + folder.resolve(JOURNAL) + " failed: " + e, e);
    }
  }

  private static void writeArray(DataOutputStream out, byte @Nullable [] array) throws IOException {
    out.writeInt(array == null ? -1 : array.length);
    if (array != null) {
      out.write(array);
    }
  }

  private static byte @Nullable [] readArray(DataInputStream in) throws IOException {
    int length = in.readInt();
    return length < 0 ? null : in.readNBytes(length);
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  public Path folder() {
    return folder;
  }

  private Path file(byte[] key) {
    return folder.resolve(new String(key, StandardCharsets.US_ASCII));
  }

  private static byte @Nullable [] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException absent) {
      return null;
    } catch (IOException e) {
      throw new StorageException("reading " + file + " failed: " + e, e);
    }
  }

  private void write(Path file, byte[] bytes, boolean synced) {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    try {
      try (FileChannel channel =
          FileChannel.open(
              fresh,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
          int unused = channel.write(left);
        }
        if (synced) {
          channel.force(true);
        }
      }
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      if (synced) {
        syncFolder();
      }
    } catch (IOException e) {
      throw new StorageException("writing " + file + " failed: " + e, e);
    }
  }

  private void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new StorageException("removing " + file + " failed: " + e, e);
    }
  }

  private void syncFolder() throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
