package voldemort;

/** Shaped like the server's class of this name; written for tests. */
public class VoldemortException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public VoldemortException(String message) {
    super(message);
  }
}
