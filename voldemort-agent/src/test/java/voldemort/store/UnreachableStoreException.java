package voldemort.store;

import voldemort.VoldemortException;

/** Shaped like the server's class of this name; written for tests. */
public class UnreachableStoreException extends VoldemortException {
  private static final long serialVersionUID = 1L;

  public UnreachableStoreException(String message) {
    super(message);
  }
}
