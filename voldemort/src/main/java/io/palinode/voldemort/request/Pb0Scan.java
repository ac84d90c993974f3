package io.palinode.voldemort.request;

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
 * Counts the fields of a pb0 request before it is parsed: two received bytes can take a hundred on
 * the heap. Reads only tags and lengths, copies nothing, and skips a request that is too short to
 * exceed a limit. Not thread-safe; one for each request.
 */
public final class Pb0Scan {
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
   * @param keysMax keys of a request
   * @param clockEntriesMax entries of all its clocks together
   * @param fieldsMax all other fields, also unknown ones
   */
  record Limits(int keysMax, int clockEntriesMax, int fieldsMax) {
    /** The limits of the native protocols, where a request has one clock. */
    static final Limits DEFAULT =
        new Limits(
            RequestScan.KEYS_MAX,
            io.palinode.voldemort.protocol.VectorClock.NODE_MAX,
            RequestScan.KEYS_MAX);

    /** Whether so few bytes cannot exceed a limit: each counted field takes at least one. */
    boolean allow(int bytes) {
      return bytes <= Math.min(fieldsMax, Math.min(keysMax, clockEntriesMax));
    }
  }

  /**
   * A request above a limit.
   *
   * @param type of the request, for the response
   */
  public record TooMuch(RequestType type, String why) {}

  /**
   * Null if the request may be parsed. Throws {@link InvalidProtocolBufferException} for invalid
   * bytes, and for a request above a limit that has no type.
   */
  public static @Nullable TooMuch in(ByteBuf body) throws InvalidProtocolBufferException {
    return in(body, Limits.DEFAULT);
  }

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

  /** Whether the remaining bytes cannot change the result. */
  private boolean isDecided() {
    return type != null
        && (keys > limits.keysMax()
            || entries > limits.clockEntriesMax()
            || others > limits.fieldsMax());
  }

  /** Scans a message up to the stream's limit, as deep as messages of a request nest. */
  private void message(Descriptor message) throws IOException {
    // No message here has groups: a group and its content are unknown fields.
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
      RequestType known = RequestType.forNumber((int) value);
      type = known == null ? type : known;
    }
  }

  private void skip(int tag) throws IOException {
    boolean skipped = in.skipField(tag);
    if (!skipped) {
      throw new InvalidProtocolBufferException("a field of unknown kind: tag=" + tag);
    }
  }
}
