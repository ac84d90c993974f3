package voldemort.client.protocol.pb;

/** Has the names of the server's class, and nothing of what that does. */
public final class VProto {
  private VProto() {}

  public static final class VoldemortRequest {
    private VoldemortRequest() {}

    public static final class Builder {
      private Builder() {}
    }
  }
}
