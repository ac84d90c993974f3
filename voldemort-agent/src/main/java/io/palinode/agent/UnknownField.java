package io.palinode.agent;

import com.google.protobuf.CodedOutputStream;
import io.palinode.agent.boot.Writing;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The field that rides along with pb0 messages of Voldemort, as one that its own classes do not
 * know: they keep what they do not know while a message is read, and it is written behind theirs.
 */
public final class UnknownField {
  /** Of our {@code voldemort.proto}. */
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

  /** What came with the message that was read into {@code builder}; null: nothing. */
  public byte @Nullable [] read(Object builder) {
    return in(StockTypes.call(unknownOf, builder));
  }

  /** What came with {@code message}; null: nothing. */
  byte @Nullable [] readMessage(Object message) {
    return in(StockTypes.call(unknownOfMessage, message));
  }

  private byte @Nullable [] in(Object unknown) {
    List<?> found = (List<?>) StockTypes.call(values, StockTypes.call(field, unknown, FIELD));
    return found.isEmpty() ? null : (byte[]) StockTypes.call(bytesOf, found.get(found.size() - 1));
  }

  /**
   * The same message with {@code context}, behind its own bytes: a field more to whoever reads
   * them.
   */
  public Writing write(Object message, byte[] context) throws IOException {
    return behind(message, field(FIELD, context));
  }

  /**
   * Likewise, with {@code context} in the message that {@code message} has as its field {@code
   * number}: whoever reads one such field twice, merges the two.
   */
  Writing writeWithin(Object message, int number, byte[] context) throws IOException {
    return behind(message, field(number, field(FIELD, context)));
  }

  private static byte[] field(int number, byte[] content) throws IOException {
    // Not over a stream: that would take a buffer of 4 KiB for each message.
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
