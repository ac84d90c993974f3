package voldemort;

/** Shaped like Voldemort's class of this name; written for tests. */
public class VoldemortApplicationException extends VoldemortException {
  private static final long serialVersionUID = 1L;

  public VoldemortApplicationException(String message) {
    super(message);
  }
}
