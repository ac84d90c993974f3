package io.palinode.voldemort.bdb;

import com.sleepycat.je.CacheMode;
import com.sleepycat.je.Cursor;
import com.sleepycat.je.CursorConfig;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.DatabaseException;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.LockMode;
import com.sleepycat.je.OperationStatus;
import com.sleepycat.je.Transaction;
import com.sleepycat.je.TransactionConfig;
import io.palinode.retroscope.snapshot.Entry;
import io.palinode.voldemort.StorageEngine;
import io.palinode.voldemort.StorageException;
import io.palinode.voldemort.disk.SpareFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records in Berkeley DB Java Edition: one environment in one folder, one database a store, one
 * transaction a commit.
 *
 * <p>Hazard: a thread that is interrupted while it is in here invalidates the whole environment;
 * all later calls fail until the node is started again.
 */
public final class BdbEngine implements StorageEngine {
  private static final Logger log = LoggerFactory.getLogger(BdbEngine.class);

  /** Berkeley DB looks at names of its own pattern only. */
  private static final String SPARE = "palinode-spare";

  private final Path folder;
  private final Environment environment;
  private final FreeSpace free;
  private final @Nullable SpareFile spare;
  private final Map<String, Database> databases = new HashMap<>();

  private BdbEngine(Path folder, Environment environment, BdbConfig config) {
    this.folder = folder;
    this.environment = environment;
    this.free = new FreeSpace(folder, config.freeDiskBytes());
    this.spare = spareIn(folder);
  }

  /** A folder that does not take it is served without: its promises then need room. */
  private static @Nullable SpareFile spareIn(Path folder) {
    try {
      return SpareFile.open(folder.resolve(SPARE));
    } catch (StorageException e) {
      log.warn("folder={} no room was set aside for the clock promise", folder, e);
      return null;
    }
  }

  /**
   * Opens {@code folder}, which must exist and belong to this process alone, and recovers what an
   * earlier process committed. Stores that are not there yet begin empty. Throws {@link
   * StorageException}.
   */
  public static BdbEngine open(Path folder, Collection<String> stores, BdbConfig config) {
    try {
      BdbEngine engine =
          new BdbEngine(folder, new Environment(folder.toFile(), environmentOf(config)), config);
      try {
        stores.forEach(engine::openDatabase);
        return engine;
      } catch (DatabaseException e) {
        engine.close();
        throw e;
      }
    } catch (DatabaseException | IllegalArgumentException e) {
      throw new StorageException("opening " + folder + " failed: " + e.getMessage(), e);
    }
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    DatabaseEntry found = new DatabaseEntry();
    try {
      OperationStatus status =
          database(store).get(null, new DatabaseEntry(key), found, LockMode.DEFAULT);
      return status == OperationStatus.SUCCESS ? found.getData() : null;
    } catch (DatabaseException e) {
      throw new StorageException("reading a record of store " + store + " failed", e);
    }
  }

  /** One cursor and no locks: there is no transaction that could hold one. */
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
      throw new StorageException("reading records of store " + store + " failed", e);
    }
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    free.require();
    TransactionConfig config = new TransactionConfig().setDurability(jeDurability(durability));
    try {
      Transaction transaction = environment.beginTransaction(null, config);
      boolean committed = false;
      try {
        apply(transaction, changes);
        transaction.commit();
        committed = true;
      } finally {
        if (!committed) {
          transaction.abort();
        }
      }
    } catch (DatabaseException e) {
      throw new StorageException("a commit of " + changes.size() + " records failed", e);
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
      throw new StorageException("scanning store " + store + " failed", e);
    }
  }

  /** A cursor stays open for one page: no record is locked while a page is written elsewhere. */
  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    List<Entry> page = new ArrayList<>();
    DatabaseEntry key = new DatabaseEntry(after == null ? new byte[0] : after);
    DatabaseEntry data = new DatabaseEntry();
    try (Cursor cursor = database(store).openCursor(null, CursorConfig.READ_COMMITTED)) {
      // What a snapshot goes through must not push out of the cache what clients read.
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
      throw new StorageException("reading a page of store " + store + " failed", e);
    }
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

  /** Databases first, then the environment, which writes a last checkpoint. */
  @Override
  public void close() {
    try {
      databases.values().forEach(Database::close);
      databases.clear();
      if (!environment.isClosed()) {
        environment.close();
      }
    } catch (DatabaseException e) {
      // What was committed stands: without the checkpoint the next start recovers it from the log.
      log.warn("folder={} closed without a checkpoint", folder, e);
    }
    if (spare != null) {
      spare.close();
    }
  }

  private void openDatabase(String store) {
    DatabaseConfig config =
        new DatabaseConfig().setAllowCreate(true).setTransactional(true).setKeyPrefixing(true);
    databases.put(store, environment.openDatabase(null, store, config));
  }

  /** One cursor for the changes of a store that follow each other. */
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
    // Only trouble goes to je.info, and no statistics to files.
    environment.setConfigParam(EnvironmentConfig.FILE_LOGGING_LEVEL, "WARNING");
    environment.setConfigParam(EnvironmentConfig.STATS_COLLECT, "false");
    return environment;
  }

  private static com.sleepycat.je.Durability jeDurability(Durability durability) {
    return switch (durability) {
      case BUFFERED -> com.sleepycat.je.Durability.COMMIT_NO_SYNC;
      case WRITTEN -> com.sleepycat.je.Durability.COMMIT_WRITE_NO_SYNC;
      case SYNCED -> com.sleepycat.je.Durability.COMMIT_SYNC;
    };
  }
}
