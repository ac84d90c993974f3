package voldemort.client.protocol.pb;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Shaped like Voldemort's class of this name, where it matters; written for tests. */
public final class ProtoUtils {
  private ProtoUtils() {}

  public static void writeMessage(DataOutputStream output, Message message) throws IOException {
    output.writeInt(message.getSerializedSize());
    CodedOutputStream coded = CodedOutputStream.newInstance(output);
    message.writeTo(coded);
    coded.flush();
  }

  public static <T extends Message.Builder> T readToBuilder(DataInputStream input, T builder)
      throws IOException {
    int size = input.readInt();
    CodedInputStream coded = CodedInputStream.newInstance(input);
    int unused = coded.pushLimit(size);
    builder.mergeFrom(coded);
    return builder;
  }
}
