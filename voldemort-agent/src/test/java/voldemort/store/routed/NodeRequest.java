package voldemort.store.routed;

import io.palinode.voldemort.protocol.Pb0;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.function.UnaryOperator;
import voldemort.client.protocol.pb.ProtoUtils;
import voldemort.common.nio.ByteBufferBackedOutputStream;
import voldemort.store.UnreachableStoreException;
import voldemort.store.socket.clientrequest.AbstractClientRequest;

/** A request to one node of tests: any message of pb0 that has no field for what rides along. */
final class NodeRequest extends AbstractClientRequest {
  private final String text;
  private final boolean pb0;

  NodeRequest(String text, boolean pb0) {
    this.text = text;
    this.pb0 = pb0;
  }

  String ask(UnaryOperator<byte[]> node) {
    ByteBufferBackedOutputStream out = new ByteBufferBackedOutputStream();
    boolean unused = formatRequest(out);
    parseResponse(new DataInputStream(new ByteArrayInputStream(node.apply(out.toByteArray()))));
    return getResult();
  }

  @Override
  protected void formatRequestInternal(DataOutputStream output) throws IOException {
    Pb0.Error message = Pb0.Error.newBuilder().setErrorCode(0).setErrorMessage(text).build();
    if (pb0) {
      ProtoUtils.writeMessage(output, message);
    } else {
      output.writeInt(message.getSerializedSize());
      message.writeTo(output);
    }
  }

  @Override
  protected String parseResponseInternal(DataInputStream input) throws IOException {
    Pb0.Error.Builder answer = ProtoUtils.readToBuilder(input, Pb0.Error.newBuilder());
    if (answer.getErrorCode() != 0) {
      throw new UnreachableStoreException(answer.getErrorMessage());
    }
    return answer.getErrorMessage();
  }
}
