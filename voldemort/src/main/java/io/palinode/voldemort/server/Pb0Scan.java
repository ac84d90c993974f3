package io.palinode.voldemort.server;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.netty.buffer.ByteBuf;
import io.palinode.voldemort.protocol.Pb0.GetAllRequest;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import io.palinode.voldemort.protocol.Pb0.VectorClock;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.vp.RequestScan;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a pb0 request names before it is parsed: two bytes of the wire can become a hundred
 * of the heap. Looks at tags and lengths only, copies nothing, and passes over a request that is
 * too short to name too much. Not thread-safe; one for each request.
 */
final class Pb0Scan {
  private static final FieldDescriptor KEYS =
      GetAllRequest.getDescriptor().findFieldByNumber(GetAllRequest.KEYS_FIELD_NUMBER);
  private static final FieldDescriptor ENTRIES =
      VectorClock.getDescriptor().findFieldByNumber(VectorClock.ENTRIES_FIELD_NUMBER);
  private static final FieldDescriptor TYPE =
      VoldemortRequest.getDescriptor().findFieldByNumber(VoldemortRequest.TYPE_FIELD_NUMBER);

  private final CodedInputStream in;
  private final Limits limits;
  private @Nullable RequestType type;
  private long keys;
  private long entries;
  private long others;

  private Pb0Scan(CodedInputStream in, Limits limits) {
    this.in = in;
    this.limits = limits;
  }

  /**
   * @param keysMax of a request
   * @param clockEntriesMax of all its clocks together
   * @param fieldsMax of everything else in it, also of what no release knows
   */
  record Limits(int keysMax, int clockEntriesMax, int fieldsMax) {
    /** As in the native protocols, where a request has one clock. */
    static final Limits DEFAULT =
        new Limits(
            RequestScan.KEYS_MAX,
            io.palinode.voldemort.protocol.VectorClock.NODE_MAX,
            RequestScan.KEYS_MAX);

    /** Whether so few bytes cannot hold more: what is counted takes one at least. */
    boolean allow(int bytes) {
      return bytes <= Math.min(fieldsMax, Math.min(keysMax, clockEntriesMax));
    }
  }

  /**
   * A request that names too much.
   *
   * @param type of the request, for the answer
   */
  record TooMuch(RequestType type, String why) {}

  /**
   * Null when the request may be parsed. Throws {@link InvalidProtocolBufferException} for what is
   * no message, or names too much without a type.
   */
  static @Nullable TooMuch in(ByteBuf body, Limits limits) throws InvalidProtocolBufferException {
    if (limits.allow(body.readableBytes())) {
      return null;
    }
    Pb0Scan scan = new Pb0Scan(CodedInputStream.newInstance(body.nioBuffer()), limits);
    try {
      scan.message(VoldemortRequest.getDescriptor());
    } catch (InvalidProtocolBufferException e) {
      throw e;
    } catch (IOException e) {
      throw new InvalidProtocolBufferException(e);
    }
    String why = scan.tooMuch();
    if (why == null) {
      return null;
    }
    if (scan.type == null) {
      throw new InvalidProtocolBufferException("a request without a type: " + why);
    }
    return new TooMuch(scan.type, why);
  }

  private @Nullable String tooMuch() {
    if (keys > limits.keysMax()) {
      return "a request must name at most %d keys".formatted(limits.keysMax());
    }
    if (entries > limits.clockEntriesMax()) {
      return "a clock must have at most %d entries".formatted(limits.clockEntriesMax());
    }
    return others > limits.fieldsMax()
        ? "a request must have at most %d other fields".formatted(limits.fieldsMax())
        : null;
  }

  /** Nothing that is still to come changes the answer. */
  private boolean isDecided() {
    return type != null
        && (keys > limits.keysMax()
            || entries > limits.clockEntriesMax()
            || others > limits.fieldsMax());
  }

  /** Up to its end, as the stream's limit says. As deep as messages of a request may lie. */
  private void message(Descriptor message) throws IOException {
    // What begins a group, which no message here has, is unknown, and so is all in it.
    int groups = 0;
    while (!isDecided()) {
      int tag = in.readTag();
      if (tag == 0) {
        return;
      }
      int wireType = WireFormat.getTagWireType(tag);
      FieldDescriptor field =
          groups > 0 ? null : message.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
      switch (wireType) {
        case WireFormat.WIRETYPE_START_GROUP -> {
          groups++;
          others++;
        }
        case WireFormat.WIRETYPE_END_GROUP -> groups--;
        case WireFormat.WIRETYPE_LENGTH_DELIMITED -> delimited(field);
        case WireFormat.WIRETYPE_VARINT -> varint(field);
        default -> {
          others++;
          skip(tag);
        }
      }
    }
  }

  private void delimited(@Nullable FieldDescriptor field) throws IOException {
    if (field == KEYS) {
      keys++;
    } else if (field == ENTRIES) {
      entries++;
    } else {
      others++;
    }
    int length = in.readRawVarint32();
    if (field != null && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
      int outer = in.pushLimit(length);
      message(field.getMessageType());
      in.popLimit(outer);
    } else {
      in.skipRawBytes(length);
    }
  }

  private void varint(@Nullable FieldDescriptor field) throws IOException {
    others++;
    long value = in.readRawVarint64();
    if (field == TYPE) {
      RequestType told = RequestType.forNumber((int) value);
      type = told == null ? type : told;
    }
  }

  private void skip(int tag) throws IOException {
    boolean skipped = in.skipField(tag);
    if (!skipped) {
      throw new InvalidProtocolBufferException("a field of no kind: tag=" + tag);
    }
  }
}
