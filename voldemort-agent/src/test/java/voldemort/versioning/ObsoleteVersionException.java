package voldemort.versioning;

import voldemort.VoldemortApplicationException;

/** Shaped like Voldemort's class of this name; written for tests. */
public class ObsoleteVersionException extends VoldemortApplicationException {
  private static final long serialVersionUID = 1L;

  public ObsoleteVersionException(String message) {
    super(message);
  }
}
