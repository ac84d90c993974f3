package voldemort.store.bdb;

import java.io.File;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import voldemort.VoldemortException;
import voldemort.server.storage.KeyLockHandle;
import voldemort.store.StorageEngine;
import voldemort.store.StoreBinaryFormat;
import voldemort.utils.ByteArray;
import voldemort.utils.ClosableIterator;
import voldemort.utils.Pair;
import voldemort.versioning.Version;
import voldemort.versioning.Versioned;

/**
 * Shaped like the server's class of this name; written for tests. One lock stands for those of the
 * records.
 */
public class BdbStorageEngine implements StorageEngine<ByteArray, byte[], byte[]> {
  private final String name;
  private final Map<ByteArray, byte[]> records = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Environment environment = new Environment();
  private boolean commitsFail;
  private Runnable beforeFirstCommit = () -> {};

  public BdbStorageEngine(String name) {
    this.name = name;
  }

  /** Of Berkeley DB, as far as it is used here. */
  public static final class Environment {
    private File home = new File("").getAbsoluteFile();

    public void sync() {}

    public File getHome() {
      return home;
    }
  }

  /** Before an engine is watched. */
  public void moveTo(File home) {
    environment.home = home;
  }

  /** From now on a write fails when its record has been written, a delete when it was read. */
  public void failCommits(boolean fail) {
    commitsFail = fail;
  }

  /** Runs once, when the record of a key that was not there is about to be put. */
  public void beforeFirstCommit(Runnable action) {
    beforeFirstCommit = action;
  }

  @Override
  public String getName() {
    return name;
  }

  public boolean isPartitionScanSupported() {
    return false;
  }

  @Override
  public List<Versioned<byte[]>> get(ByteArray key, byte[] transforms) {
    byte[] record = records.get(key);
    return record == null ? List.of() : StoreBinaryFormat.fromByteArray(record);
  }

  private List<Versioned<byte[]>> stored(ByteArray key) {
    byte[] record = records.get(key);
    return record == null ? new ArrayList<>() : StoreBinaryFormat.fromByteArray(record);
  }

  private void write(ByteArray key, List<Versioned<byte[]>> values) {
    byte[] record = StoreBinaryFormat.toByteArray(values);
    if (commitsFail) {
      throw new VoldemortException("the commit failed");
    }
    records.put(key, record);
  }

  /** What is not there has no lock, as in the server's database. */
  private void putFirst(ByteArray key, Versioned<byte[]> value) {
    byte[] record = StoreBinaryFormat.toByteArray(List.of(value));
    Runnable action = beforeFirstCommit;
    beforeFirstCommit = () -> {};
    action.run();
    records.put(key, record);
  }

  @Override
  public void put(ByteArray key, Versioned<byte[]> value, byte[] transforms) {
    if (!records.containsKey(key) && !commitsFail) {
      putFirst(key, value);
      return;
    }
    lock.lock();
    try {
      List<Versioned<byte[]>> values = stored(key);
      for (Iterator<Versioned<byte[]>> each = values.iterator(); each.hasNext(); ) {
        Version old = each.next().getVersion();
        if (value.getVersion().isAtMost(old)) {
          throw new VoldemortException("obsolete");
        }
        if (old.isAtMost(value.getVersion())) {
          each.remove();
        }
      }
      values.add(value);
      write(key, values);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean delete(ByteArray key, Version version) {
    lock.lock();
    try {
      if (version == null) {
        return records.remove(key) != null;
      }
      byte[] record = records.get(key);
      if (record == null) {
        return false;
      }
      List<Versioned<byte[]>> values = StoreBinaryFormat.fromByteArray(record);
      boolean any = values.removeIf(each -> each.getVersion().isAtMost(version));
      if (commitsFail) {
        throw new VoldemortException("the commit failed");
      }
      if (values.isEmpty()) {
        records.remove(key);
      } else {
        write(key, values);
      }
      return any;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<Versioned<byte[]>> multiVersionPut(ByteArray key, List<Versioned<byte[]>> values) {
    KeyLockHandle<byte[]> handle = getAndLock(key);
    handle.getValues().addAll(values);
    putAndUnlock(key, handle);
    return List.of();
  }

  @Override
  public KeyLockHandle<byte[]> getAndLock(ByteArray key) {
    lock.lock();
    return new KeyLockHandle<>(stored(key));
  }

  @Override
  public void putAndUnlock(ByteArray key, KeyLockHandle<byte[]> handle) {
    try {
      write(key, handle.getValues());
    } finally {
      lock.unlock();
      handle.close();
    }
  }

  @Override
  public void releaseLock(KeyLockHandle<byte[]> handle) {
    // Not after a commit that failed, which let it go.
    handle.close();
    lock.unlock();
  }

  @Override
  public ClosableIterator<Pair<ByteArray, Versioned<byte[]>>> entries() {
    List<Pair<ByteArray, Versioned<byte[]>>> all = new ArrayList<>();
    for (Map.Entry<ByteArray, byte[]> each : records.entrySet()) {
      for (Versioned<byte[]> value : StoreBinaryFormat.fromByteArray(each.getValue())) {
        all.add(new Pair<>(each.getKey(), value));
      }
    }
    Iterator<Pair<ByteArray, Versioned<byte[]>>> iterator = all.iterator();
    return new ClosableIterator<>() {
      @Override
      public boolean hasNext() {
        return iterator.hasNext();
      }

      @Override
      public Pair<ByteArray, Versioned<byte[]>> next() {
        return iterator.next();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void truncate() {
    records.clear();
  }

  public Environment environment() {
    return environment;
  }
}
