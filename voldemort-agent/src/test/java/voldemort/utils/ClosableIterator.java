package voldemort.utils;

import java.util.Iterator;

/** Shaped like the server's class of this name; written for tests. */
public interface ClosableIterator<T> extends Iterator<T> {
  void close();
}
