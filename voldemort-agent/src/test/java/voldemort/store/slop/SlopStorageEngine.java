package voldemort.store.slop;

import java.util.List;
import voldemort.server.storage.KeyLockHandle;
import voldemort.store.StorageEngine;
import voldemort.utils.ByteArray;
import voldemort.utils.ClosableIterator;
import voldemort.utils.Pair;
import voldemort.versioning.Version;
import voldemort.versioning.Versioned;

/** Shaped like the server's class of this name; written for tests. */
public final class SlopStorageEngine {
  private final StorageEngine<ByteArray, byte[], byte[]> slopEngine;

  public SlopStorageEngine(StorageEngine<ByteArray, byte[], byte[]> slopEngine) {
    this.slopEngine = slopEngine;
  }

  public StorageEngine<ByteArray, Slop, byte[]> asSlopStore() {
    return new SlopStore();
  }

  private final class SlopStore implements StorageEngine<ByteArray, Slop, byte[]> {
    @Override
    public String getName() {
      return slopEngine.getName();
    }

    @Override
    public boolean delete(ByteArray key, Version version) {
      return slopEngine.delete(key, version);
    }

    @Override
    public ClosableIterator<Pair<ByteArray, Versioned<Slop>>> entries() {
      ClosableIterator<Pair<ByteArray, Versioned<byte[]>>> all = slopEngine.entries();
      return new ClosableIterator<>() {
        @Override
        public boolean hasNext() {
          return all.hasNext();
        }

        @Override
        public Pair<ByteArray, Versioned<Slop>> next() {
          Pair<ByteArray, Versioned<byte[]>> next = all.next();
          Versioned<byte[]> value = next.getSecond();
          Slop slop = new Slop(value.getValue());
          return new Pair<>(next.getFirst(), new Versioned<>(slop, value.getVersion()));
        }

        @Override
        public void close() {
          all.close();
        }
      };
    }

    @Override
    public List<Versioned<Slop>> get(ByteArray key, byte[] transforms) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void put(ByteArray key, Versioned<Slop> value, byte[] transforms) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<Versioned<Slop>> multiVersionPut(ByteArray key, List<Versioned<Slop>> values) {
      throw new UnsupportedOperationException();
    }

    @Override
    public KeyLockHandle<Slop> getAndLock(ByteArray key) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void putAndUnlock(ByteArray key, KeyLockHandle<Slop> handle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void releaseLock(KeyLockHandle<Slop> handle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void truncate() {
      throw new UnsupportedOperationException();
    }
  }
}
