package voldemort.store.socket.clientrequest;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import voldemort.VoldemortException;
import voldemort.common.nio.ByteBufferBackedOutputStream;

/** Shaped like Voldemort's class of this name, where it matters; written for tests. */
public abstract class AbstractClientRequest {
  private String result = "";
  private Exception error;

  protected abstract void formatRequestInternal(DataOutputStream output) throws IOException;

  protected abstract String parseResponseInternal(DataInputStream input) throws IOException;

  public boolean formatRequest(ByteBufferBackedOutputStream output) {
    try {
      formatRequestInternal(new DataOutputStream(output));
      return true;
    } catch (IOException e) {
      error = e;
      return false;
    }
  }

  public void parseResponse(DataInputStream input) {
    try {
      result = parseResponseInternal(input);
    } catch (IOException | VoldemortException e) {
      error = e;
    }
  }

  public String getResult() {
    if (error instanceof VoldemortException known) {
      throw known;
    }
    if (error != null) {
      throw new IllegalStateException(error);
    }
    return result;
  }
}
