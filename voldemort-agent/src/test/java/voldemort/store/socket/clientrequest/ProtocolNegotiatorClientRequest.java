package voldemort.store.socket.clientrequest;

import java.io.DataInputStream;
import java.io.DataOutputStream;

/** Shaped like Voldemort's class of this name, where it matters; written for tests. */
public class ProtocolNegotiatorClientRequest extends AbstractClientRequest {
  @Override
  protected void formatRequestInternal(DataOutputStream output) {}

  @Override
  protected String parseResponseInternal(DataInputStream input) {
    return "ok";
  }
}
