package io.palinode.agent.engine;

import com.google.protobuf.CodedOutputStream;
import io.palinode.agent.boot.Writing;
import io.palinode.agent.stock.StockTypes;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The context field in Voldemort's pb0 messages, which its own classes do not know. They keep
 * unknown fields when reading; the agent appends the field when writing.
 */
public final class UnknownField {
  /** The field number in {@code voldemort.proto}. */
  private static final int FIELD = 1000;

  private final MethodHandle unknownOf;
  private final MethodHandle unknownOfMessage;
  private final MethodHandle field;
  private final MethodHandle values;
  private final MethodHandle bytesOf;
  private final MethodHandle sizeOf;
  private final MethodHandle writeTo;

  public UnknownField(StockTypes types) {
    Class<?> message = types.type("com.google.protobuf.Message");
    Class<?> builder = types.type("com.google.protobuf.Message$Builder");
    Class<?> bytes = types.type("com.google.protobuf.ByteString");
    Class<?> set = types.type("com.google.protobuf.UnknownFieldSet");
    Class<?> one = types.type("com.google.protobuf.UnknownFieldSet$Field");
    unknownOf = types.method(builder, "getUnknownFields", set);
    unknownOfMessage = types.method(message, "getUnknownFields", set);
    field = types.method(set, "getField", one, int.class);
    values = types.method(one, "getLengthDelimitedList", List.class);
    bytesOf = types.method(bytes, "toByteArray", byte[].class);
    sizeOf = types.method(message, "getSerializedSize", int.class);
    writeTo = types.method(message, "writeTo", void.class, OutputStream.class);
  }

  /** The context of the message in {@code builder}; null if there is none. */
  public byte @Nullable [] read(Object builder) {
    return in(StockTypes.call(unknownOf, builder));
  }

  /** The context of {@code message}; null if there is none. */
  byte @Nullable [] readMessage(Object message) {
    return in(StockTypes.call(unknownOfMessage, message));
  }

  private byte @Nullable [] in(Object unknown) {
    List<?> found = (List<?>) StockTypes.call(values, StockTypes.call(field, unknown, FIELD));
    return found.isEmpty() ? null : (byte[]) StockTypes.call(bytesOf, found.get(found.size() - 1));
  }

  /** The same message with {@code context} appended as one more field. */
  public Writing write(Object message, byte[] context) throws IOException {
    return behind(message, field(FIELD, context));
  }

  /**
   * The same message with {@code context} in its field {@code number}. The context is in a second
   * field of that number: readers merge the two.
   */
  Writing writeWithin(Object message, int number, byte[] context) throws IOException {
    return behind(message, field(number, field(FIELD, context)));
  }

  private static byte[] field(int number, byte[] content) throws IOException {
    // Without a stream, which would allocate a buffer of 4 KiB for each message.
    byte[] bytes = new byte[CodedOutputStream.computeByteArraySize(number, content)];
    CodedOutputStream.newInstance(bytes).writeByteArray(number, content);
    return bytes;
  }

  private Writing behind(Object message, byte[] bytes) {
    int size = (int) StockTypes.call(sizeOf, message) + bytes.length;
    return out -> {
      out.writeInt(size);
      Object unused = StockTypes.call(writeTo, message, out);
      out.write(bytes);
    };
  }
}
