package io.palinode.voldemort.bdb;

import com.sleepycat.je.Cursor;
import com.sleepycat.je.CursorConfig;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.LockMode;
import com.sleepycat.je.OperationStatus;
import com.sleepycat.je.Transaction;
import io.palinode.store.engine.StorageEngine.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The number of a store's commits, in its own database and in a {@link StoreEnd} (ADR 0030).
 *
 * <pre>
 * "end"  | version u8 = 1 | commits i64 | store id i64 |   big-endian
 * </pre>
 *
 * For one thread at a time.
 */
final class CommitCount {
  static final String DATABASE = "palinode-end";

  private static final Logger log = LoggerFactory.getLogger(CommitCount.class);
  private static final byte[] KEY = "end".getBytes(StandardCharsets.US_ASCII);
  private static final byte VERSION = 1;

  private final Database database;
  private final StoreEnd end;
  private final long id;
  private long commits;

  /** The store's count. */
  private record Stored(long id, long commits) {
    static @Nullable Stored read(Database database) {
      DatabaseEntry found = new DatabaseEntry();
      OperationStatus status = database.get(null, new DatabaseEntry(KEY), found, LockMode.DEFAULT);
      if (status != OperationStatus.SUCCESS) {
        return null;
      }
      ByteBuffer in = ByteBuffer.wrap(found.getData());
      byte version = in.get();
      if (version != VERSION) {
        throw new DataFolderException(
            "the count of commits is of format %d, this release reads %d: use the release that wrote it"
                .formatted(version, VERSION),
            null);
      }
      long commits = in.getLong();
      return new Stored(in.getLong(), commits);
    }
  }

  private CommitCount(Database database, StoreEnd end, long id, long commits) {
    this.database = database;
    this.end = end;
    this.id = id;
    this.commits = commits;
  }

  /**
   * Compares the store with {@code file}, and continues to count. Throws {@link
   * DataFolderException} if the store lacks commits or is another one.
   *
   * @param folder of the store, for messages
   */
  static CommitCount open(Database database, Path folder, Path file) {
    Stored stored = Stored.read(database);
    try {
      StoreEnd.Found found = StoreEnd.find(file);
      requireWhole(stored, found, folder, file);
      if (found == null && stored != null) {
        log.warn("file={} phase=COMMITS_UNKNOWN commits={}", file, stored.commits());
      }
      long id = stored == null ? new SecureRandom().nextLong() : stored.id();
      long commits = stored == null ? 0 : stored.commits();
      return new CommitCount(database, StoreEnd.begin(file, id, commits), id, commits);
    } catch (StoreEnd.DamagedException e) {
      throw DataFolderException.damaged(
          "the file %s is damaged (%s), so the store in %s may lack commits"
              .formatted(file, e.getMessage(), folder),
          e);
    } catch (IOException e) {
      throw new DataFolderException(
          "the file %s cannot be used (%s): give this user the right to write it"
              .formatted(file, e),
          e);
    }
  }

  private static void requireWhole(
      @Nullable Stored stored, StoreEnd.@Nullable Found found, Path folder, Path file) {
    if (found == null || (stored == null && found.commits() == 0)) {
      return;
    }
    if (stored == null) {
      throw DataFolderException.damaged(
          "the store in %s has no commit, but %,d were acknowledged according to %s"
              .formatted(folder, found.commits(), file),
          null);
    }
    if (stored.id() != found.id()) {
      throw DataFolderException.damaged(
          "the store in %s is not the one that %s belongs to".formatted(folder, file), null);
    }
    if (stored.commits() < found.commits()) {
      throw DataFolderException.damaged(
          "the store in %s lacks its last %,d of %,d acknowledged commits according to %s"
              .formatted(folder, found.commits() - stored.commits(), found.commits(), file),
          null);
    }
  }

  /** Compares both counts in the folder of a stopped node. Changes nothing. */
  static Recovery.Finding look(@Nullable Database database, DataFolder folder) {
    Stored stored = database == null ? null : Stored.read(database);
    long commits = stored == null ? 0 : stored.commits();
    try {
      requireWhole(stored, StoreEnd.find(folder.storeEnd()), folder.bdb(), folder.storeEnd());
      return new Recovery.Finding("", commits);
    } catch (DataFolderException | IOException e) {
      return new Recovery.Finding(String.valueOf(e.getMessage()), commits);
    }
  }

  /** Adds the next count to a transaction. */
  void put(Transaction transaction) {
    ByteBuffer record = ByteBuffer.allocate(1 + 2 * Long.BYTES);
    record.put(VERSION).putLong(commits + 1).putLong(id);
    try (Cursor cursor = database.openCursor(transaction, CursorConfig.DEFAULT)) {
      cursor.put(new DatabaseEntry(KEY), new DatabaseEntry(record.array()));
    }
  }

  /** Call when the transaction is committed. */
  void committed(Durability durability) {
    commits++;
    // A buffered commit does not survive the process; the next written commit includes it.
    if (durability != Durability.BUFFERED) {
      end.committed(commits, durability == Durability.SYNCED);
    }
  }

  void closeDatabase() {
    database.close();
  }

  /** Call when the environment has closed in order: all commits are on the medium. */
  void closed() throws IOException {
    end.committed(commits, true);
    end.close();
  }
}
