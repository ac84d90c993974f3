package voldemort.store;

import java.util.List;
import voldemort.server.storage.KeyLockHandle;
import voldemort.utils.ClosableIterator;
import voldemort.utils.Pair;
import voldemort.versioning.Version;
import voldemort.versioning.Versioned;

/** Shaped like the server's class of this name; written for tests. */
public interface StorageEngine<K, V, T> {
  String getName();

  List<Versioned<V>> get(K key, T transforms);

  void put(K key, Versioned<V> value, T transforms);

  boolean delete(K key, Version version);

  List<Versioned<V>> multiVersionPut(K key, List<Versioned<V>> values);

  KeyLockHandle<V> getAndLock(K key);

  void putAndUnlock(K key, KeyLockHandle<V> handle);

  void releaseLock(KeyLockHandle<V> handle);

  ClosableIterator<Pair<K, Versioned<V>>> entries();

  void truncate();
}
