package io.palinode.voldemort.bdb;

import com.sleepycat.je.CacheMode;
import com.sleepycat.je.Cursor;
import com.sleepycat.je.CursorConfig;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.DatabaseException;
import com.sleepycat.je.DiskLimitException;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.EnvironmentFailureException;
import com.sleepycat.je.EnvironmentLockedException;
import com.sleepycat.je.LockMode;
import com.sleepycat.je.LogWriteException;
import com.sleepycat.je.OperationStatus;
import com.sleepycat.je.ThreadInterruptedException;
import com.sleepycat.je.Transaction;
import com.sleepycat.je.TransactionConfig;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.store.engine.FreeBytes;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageException;
import io.palinode.store.hosted.SpareFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records in Berkeley DB Java Edition: one environment in one folder, one database a store, one
 * transaction a commit.
 *
 * <p>Hazard: an interrupt of a thread in this class invalidates the environment. All later calls
 * fail until the node restarts.
 */
public final class BdbEngine implements StorageEngine {
  private static final Logger log = LoggerFactory.getLogger(BdbEngine.class);

  /** Not a name of Berkeley DB's pattern, so it ignores the file. */
  private static final String SPARE = "palinode-spare";

  private final Path folder;
  private final Environment environment;
  private final FreeSpace free;
  private final @Nullable SpareFile spare;
  private final Map<String, Database> databases = new HashMap<>();
  private final ReentrantLock commitLock = new ReentrantLock();
  private @Nullable CommitCount count;

  private BdbEngine(Path folder, Environment environment, BdbConfig config) {
    this.folder = folder;
    this.environment = environment;
    this.free = new FreeSpace(folder, config.freeDiskBytes());
    this.spare = spareIn(folder);
  }

  /** If the file cannot be made, the node runs without it: promises then need free space. */
  private static @Nullable SpareFile spareIn(Path folder) {
    try {
      return SpareFile.open(folder.resolve(SPARE));
    } catch (StorageException e) {
      log.warn("folder={} no room was set aside for the clock promise", folder, e);
      return null;
    }
  }

  /** Like the other, without a file that counts its commits. */
  public static BdbEngine open(Path folder, Collection<String> stores, BdbConfig config) {
    return open(folder, stores, config, null);
  }

  /**
   * Opens {@code folder} and recovers what an earlier process committed. The folder must exist and
   * belong to this process alone. New stores begin empty. Throws {@link DataFolderException} if
   * acknowledged commits are missing or unreadable, else {@link StorageException}.
   *
   * @param end the file that counts commits; null: commits are not counted
   */
  public static BdbEngine open(
      Path folder, Collection<String> stores, BdbConfig config, @Nullable Path end) {
    try {
      BdbEngine engine =
          new BdbEngine(folder, new Environment(folder.toFile(), environmentOf(config)), config);
      try {
        engine.openDatabases(stores, end);
        return engine;
      } catch (DatabaseException | DataFolderException e) {
        engine.close();
        throw e;
      }
    } catch (DatabaseException | IllegalArgumentException e) {
      if (isDamage(e)) {
        throw DataFolderException.damaged(
            "the store in %s cannot be read (%s)".formatted(folder, e.getMessage()), e);
      }
      throw new StorageException("opening " + folder + " failed: " + e.getMessage(), e);
    }
  }

  private void openDatabases(Collection<String> stores, @Nullable Path end) {
    if (end != null) {
      // First, so that an environment without its last commits gets no new databases.
      Database counted = openDatabase(CommitCount.DATABASE);
      try {
        count = CommitCount.open(counted, folder, end);
      } catch (RuntimeException e) {
        counted.close();
        throw e;
      }
    }
    stores.forEach(store -> databases.put(store, openDatabase(store)));
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    DatabaseEntry found = new DatabaseEntry();
    try {
      OperationStatus status =
          database(store).get(null, new DatabaseEntry(key), found, LockMode.DEFAULT);
      return status == OperationStatus.SUCCESS ? found.getData() : null;
    } catch (DatabaseException e) {
      throw failed("reading a record of store " + store, e);
    }
  }

  /** Uses one cursor without locks, since no transaction could hold one. */
  @Override
  public void read(String store, Iterable<byte[]> keys, FoundVisitor visitor) {
    try (Cursor cursor = database(store).openCursor(null, CursorConfig.READ_UNCOMMITTED)) {
      for (byte[] key : keys) {
        DatabaseEntry found = new DatabaseEntry();
        OperationStatus status =
            cursor.getSearchKey(new DatabaseEntry(key), found, LockMode.READ_UNCOMMITTED);
        visitor.visit(key, status == OperationStatus.SUCCESS ? found.getData() : null);
      }
    } catch (DatabaseException e) {
      throw failed("reading records of store " + store, e);
    }
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    TransactionConfig config = new TransactionConfig().setDurability(jeDurability(durability));
    commitLock.lock();
    try {
      free.require();
      Transaction transaction = environment.beginTransaction(null, config);
      boolean committed = false;
      try {
        apply(transaction, changes);
        if (count != null) {
          count.put(transaction);
        }
        transaction.commit();
        committed = true;
        if (count != null) {
          count.committed(durability);
        }
      } finally {
        if (!committed) {
          transaction.abort();
        }
      }
    } catch (DatabaseException e) {
      throw failed("a commit of " + changes.size() + " records", e);
    } finally {
      commitLock.unlock();
    }
  }

  @Override
  public void scan(String store, RecordVisitor visitor) {
    DatabaseEntry key = new DatabaseEntry();
    DatabaseEntry data = new DatabaseEntry();
    try (Cursor cursor = database(store).openCursor(null, CursorConfig.READ_COMMITTED)) {
      while (cursor.getNext(key, data, LockMode.DEFAULT) == OperationStatus.SUCCESS) {
        visitor.visit(key.getData(), data.getData());
      }
    } catch (DatabaseException e) {
      throw failed("scanning store " + store, e);
    }
  }

  /**
   * Keeps a cursor open for one page only: no record stays locked while the caller writes the page.
   */
  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    List<Entry> page = new ArrayList<>();
    DatabaseEntry key = new DatabaseEntry(after == null ? new byte[0] : after);
    DatabaseEntry data = new DatabaseEntry();
    try (Cursor cursor = database(store).openCursor(null, CursorConfig.READ_COMMITTED)) {
      // A snapshot must not displace the records that clients read from the cache.
      cursor.setCacheMode(CacheMode.UNCHANGED);
      OperationStatus status = cursor.getSearchKeyRange(key, data, LockMode.DEFAULT);
      if (status == OperationStatus.SUCCESS && Arrays.equals(key.getData(), after)) {
        status = cursor.getNext(key, data, LockMode.DEFAULT);
      }
      for (long bytes = 0; status == OperationStatus.SUCCESS && bytes < bytesMax; ) {
        page.add(new Entry(key.getData(), data.getData()));
        bytes += key.getSize() + data.getSize();
        status = cursor.getNext(key, data, LockMode.DEFAULT);
      }
      return page;
    } catch (DatabaseException e) {
      throw failed("reading a page of store " + store, e);
    }
  }

  @Override
  public OptionalLong freeBytes() {
    return FreeBytes.in(folder.toFile());
  }

  @Override
  public boolean putSpare(byte[] record, Durability durability) {
    if (spare == null) {
      return false;
    }
    try {
      spare.write(record, durability == Durability.SYNCED);
      return true;
    } catch (StorageException e) {
      log.debug("folder={} the spare room does not take a record", folder, e);
      return false;
    }
  }

  @Override
  public byte @Nullable [] spare() {
    return spare == null ? null : spare.read();
  }

  /** Closes the databases, then the environment, which writes a last checkpoint. */
  @Override
  public void close() {
    try {
      closeEnvironment();
      if (count != null) {
        count.closed();
        count = null;
      }
    } catch (DatabaseException | IOException e) {
      // Commits are safe: without the checkpoint the next start recovers them from the log.
      log.warn("folder={} closed without a checkpoint", folder, e);
    }
    if (spare != null) {
      spare.close();
    }
  }

  /** Also if a database fails to close: an open environment cannot be opened again. */
  private void closeEnvironment() {
    try {
      databases.values().forEach(Database::close);
      databases.clear();
      if (count != null) {
        count.closeDatabase();
      }
    } finally {
      if (!environment.isClosed()) {
        environment.close();
      }
    }
  }

  private Database openDatabase(String name) {
    DatabaseConfig config =
        new DatabaseConfig().setAllowCreate(true).setTransactional(true).setKeyPrefixing(true);
    return environment.openDatabase(null, name, config);
  }

  /** Writes consecutive changes of a store with one cursor. */
  private void apply(Transaction transaction, List<Change> changes) {
    int from = 0;
    while (from < changes.size()) {
      String store = changes.get(from).store();
      try (Cursor cursor = database(store).openCursor(transaction, CursorConfig.DEFAULT)) {
        while (from < changes.size() && changes.get(from).store().equals(store)) {
          apply(cursor, changes.get(from));
          from++;
        }
      }
    }
  }

  private static void apply(Cursor cursor, Change change) {
    DatabaseEntry key = new DatabaseEntry(change.key());
    byte[] record = change.record();
    if (record != null) {
      cursor.put(key, new DatabaseEntry(record));
    } else if (cursor.getSearchKey(key, new DatabaseEntry(), LockMode.RMW)
        == OperationStatus.SUCCESS) {
      cursor.delete();
    }
  }

  private Database database(String store) {
    Database database = databases.get(store);
    if (database == null) {
      throw new IllegalArgumentException(
          "a store must be one the engine was opened with: store=" + store);
    }
    return database;
  }

  private static EnvironmentConfig environmentOf(BdbConfig config) {
    EnvironmentConfig environment = new EnvironmentConfig();
    environment.setAllowCreate(true).setTransactional(true);
    environment.setCacheSize(config.cacheBytes());
    environment.setLockTimeout(config.lockTimeout().toMillis(), TimeUnit.MILLISECONDS);
    environment.setConfigParam(
        EnvironmentConfig.LOG_FILE_MAX, Long.toString(config.logFileBytes()));
    environment.setConfigParam(EnvironmentConfig.FREE_DISK, Long.toString(config.freeDiskBytes()));
    // Otherwise recovery truncates the log at the first unreadable entry, even if a commit follows.
    environment.setConfigParam(EnvironmentConfig.HALT_ON_COMMIT_AFTER_CHECKSUMEXCEPTION, "true");
    // Only warnings go to je.info, and no statistics to files.
    environment.setConfigParam(EnvironmentConfig.FILE_LOGGING_LEVEL, "WARNING");
    environment.setConfigParam(EnvironmentConfig.STATS_COLLECT, "false");
    return environment;
  }

  private StorageException failed(String what, DatabaseException e) {
    if (e instanceof DiskLimitException) {
      // It measures every 10 s, so it also refuses for a while after there is room again.
      return StorageException.full(
          "the disk is full, or was until 10 s ago: Berkeley DB writes nothing in " + folder);
    }
    return new StorageException(
        isDamage(e)
            ? "%s failed: the store in %s is damaged (%s): stop the node, and run 'palinode recover' on its data folder"
                .formatted(what, folder, e.getMessage())
            : "%s failed: %s".formatted(what, e.getMessage()),
        e);
  }

  private static boolean isDamage(RuntimeException e) {
    return e instanceof EnvironmentFailureException
        && !(e instanceof EnvironmentLockedException)
        && !(e instanceof LogWriteException)
        && !(e instanceof ThreadInterruptedException);
  }

  private static com.sleepycat.je.Durability jeDurability(Durability durability) {
    return switch (durability) {
      case BUFFERED -> com.sleepycat.je.Durability.COMMIT_NO_SYNC;
      case WRITTEN -> com.sleepycat.je.Durability.COMMIT_WRITE_NO_SYNC;
      case SYNCED -> com.sleepycat.je.Durability.COMMIT_SYNC;
    };
  }
}
