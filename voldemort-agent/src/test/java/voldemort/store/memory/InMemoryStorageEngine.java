package voldemort.store.memory;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import voldemort.VoldemortException;
import voldemort.server.storage.KeyLockHandle;
import voldemort.store.StorageEngine;
import voldemort.utils.ClosableIterator;
import voldemort.utils.Pair;
import voldemort.versioning.Version;
import voldemort.versioning.Versioned;

/**
 * Shaped like the server's class of this name; written for tests. Changes its lists where they are.
 */
public class InMemoryStorageEngine<K, V, T> implements StorageEngine<K, V, T> {
  protected final ConcurrentMap<K, List<Versioned<V>>> map = new ConcurrentHashMap<>();
  private final String name;

  public InMemoryStorageEngine(String name) {
    this.name = name;
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public synchronized List<Versioned<V>> get(K key, T transforms) {
    return new ArrayList<>(map.getOrDefault(key, List.of()));
  }

  @Override
  public synchronized void put(K key, Versioned<V> value, T transforms) {
    List<Versioned<V>> values = map.computeIfAbsent(key, absent -> new ArrayList<>());
    for (Versioned<V> old : values) {
      if (value.getVersion().isAtMost(old.getVersion())) {
        throw new VoldemortException("obsolete");
      }
    }
    values.removeIf(old -> old.getVersion().isAtMost(value.getVersion()));
    values.add(value);
  }

  @Override
  public synchronized boolean delete(K key, Version version) {
    List<Versioned<V>> values = map.get(key);
    if (values == null) {
      return false;
    }
    boolean any = values.removeIf(old -> version == null || old.getVersion().isAtMost(version));
    if (values.isEmpty()) {
      map.remove(key);
    }
    return any;
  }

  @Override
  public synchronized List<Versioned<V>> multiVersionPut(K key, List<Versioned<V>> values) {
    map.computeIfAbsent(key, absent -> new ArrayList<>()).addAll(values);
    return List.of();
  }

  @Override
  public KeyLockHandle<V> getAndLock(K key) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void putAndUnlock(K key, KeyLockHandle<V> handle) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void releaseLock(KeyLockHandle<V> handle) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ClosableIterator<Pair<K, Versioned<V>>> entries() {
    List<Pair<K, Versioned<V>>> all = new ArrayList<>();
    map.forEach((key, values) -> values.forEach(each -> all.add(new Pair<>(key, each))));
    Iterator<Pair<K, Versioned<V>>> iterator = all.iterator();
    return new ClosableIterator<>() {
      @Override
      public boolean hasNext() {
        return iterator.hasNext();
      }

      @Override
      public Pair<K, Versioned<V>> next() {
        return iterator.next();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public synchronized void truncate() {
    map.clear();
  }

  public synchronized void deleteAll() {
    map.clear();
  }
}
