package voldemort.store.serialized;

import java.util.Iterator;
import voldemort.utils.ClosableIterator;

/** Shaped like the server's class of this name, as to what reads all that is there; for tests. */
public final class SerializingStorageEngine<T> {
  private final Iterable<T> records;

  public SerializingStorageEngine(Iterable<T> records) {
    this.records = records;
  }

  public ClosableIterator<T> entries() {
    return new EntriesIterator(records.iterator());
  }

  private final class EntriesIterator implements ClosableIterator<T> {
    private final Iterator<T> iterator;

    private EntriesIterator(Iterator<T> iterator) {
      this.iterator = iterator;
    }

    @Override
    public boolean hasNext() {
      return iterator.hasNext();
    }

    @Override
    public T next() {
      return iterator.next();
    }

    @Override
    public void close() {}
  }
}
