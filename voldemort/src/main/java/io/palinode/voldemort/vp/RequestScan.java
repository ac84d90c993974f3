package io.palinode.voldemort.vp;

import io.palinode.voldemort.protocol.Frames;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the end of a request while its bytes arrive; no length precedes it. Reads each length once,
 * and allocates nothing for it. Not thread-safe; one for each request.
 *
 * <pre>
 * operation u8 | store, UTF | [routed u8]¹ | [route u8]² | by operation
 *
 * GET          key  | [transform]³
 * GET_VERSION  key
 * GET_ALL      n i32 | n × key | [transforms]³
 * PUT          key  | length i32, clock and value | [transform]³
 * DELETE       key  | length i16, clock
 *
 * store        length u16, modified UTF-8
 * key          length i32, bytes
 * transform    is there one u8, then, if so, length i32, bytes
 * transforms   are there any u8, then, if so, n i32 | n × (key | length i32, bytes)
 *
 * ¹ from vp1 on  ² from vp2 on  ³ from vp3 on; clock: {@link VectorClock}
 * </pre>
 */
public final class RequestScan {
  /** The same limit as for a pb0 message. */
  static final int REQUEST_BYTES_MAX = Frames.MESSAGE_BYTES_MAX;

  /** Each key becomes several objects, so a limit of bytes does not bound the heap. */
  public static final int KEYS_MAX = 1 << 18;

  private static final int INCOMPLETE = -1;

  private final VpVersion version;
  private final ArrayDeque<Part> parts = new ArrayDeque<>(List.of(Part.OPERATION, Part.STORE));

  /** Byte arrays before the next part. */
  private int arrays;

  /** The end of the complete parts. */
  private int end;

  private int lengthMax = REQUEST_BYTES_MAX;

  public RequestScan(VpVersion version) {
    this.version = version;
  }

  private enum Part {
    OPERATION,
    STORE,
    ROUTED,
    ROUTE,
    ARRAY,
    SHORT_ARRAY,
    KEYS,
    PAIRS,
    TRANSFORM,
    TRANSFORMS
  }

  /**
   * The length of the request that begins at 0 in {@code in}; -1 while bytes are missing. Throws
   * {@link IllegalArgumentException} for bytes that begin no request, and for a request that is too
   * long; then each later call throws too.
   */
  public int length(ByteBuffer in) {
    while (arrays > 0 || !parts.isEmpty()) {
      if (arrays > 0) {
        if (!array(in)) {
          return INCOMPLETE;
        }
        continue;
      }
      // Removed only when complete: a refused part is refused again.
      Part part = parts.element();
      if (!part(in, part)) {
        return INCOMPLETE;
      }
      parts.removeFirstOccurrence(part);
    }
    return end;
  }

  /** At most so long is an incomplete request: its length, once its last array has begun. */
  public int lengthMax() {
    return lengthMax;
  }

  private boolean part(ByteBuffer in, Part part) {
    return switch (part) {
      case OPERATION -> operation(in);
      case STORE -> has(in, Short.BYTES) && skip(in, Short.BYTES, in.getShort(end) & 0xFFFF);
      case ROUTED -> skip(in, 1, 0);
      case ROUTE -> route(in);
      case ARRAY -> expectArrays(1);
      case SHORT_ARRAY -> has(in, Short.BYTES) && skip(in, Short.BYTES, in.getShort(end));
      case KEYS -> keys(in, 1);
      case PAIRS -> keys(in, 2);
      case TRANSFORM -> flag(in, Part.ARRAY);
      case TRANSFORMS -> flag(in, Part.PAIRS);
    };
  }

  private boolean operation(ByteBuffer in) {
    if (!has(in, 1)) {
      return false;
    }
    // Passed only if valid: a refused value is refused again.
    Operation operation = Operation.of(in.get(end));
    end++;
    if (version.hasRouted()) {
      parts.add(Part.ROUTED);
    }
    if (version.hasRoute()) {
      parts.add(Part.ROUTE);
    }
    parts.addAll(
        switch (operation) {
          case GET_VERSION -> List.of(Part.ARRAY);
          case GET -> withTransform(Part.TRANSFORM, Part.ARRAY);
          case GET_ALL -> withTransform(Part.TRANSFORMS, Part.KEYS);
          case PUT -> withTransform(Part.TRANSFORM, Part.ARRAY, Part.ARRAY);
          case DELETE -> List.of(Part.ARRAY, Part.SHORT_ARRAY);
        });
    return true;
  }

  private List<Part> withTransform(Part transform, Part... before) {
    List<Part> all = new ArrayList<>(List.of(before));
    if (version.hasTransforms()) {
      all.add(transform);
    }
    return all;
  }

  private boolean route(ByteBuffer in) {
    if (!has(in, 1)) {
      return false;
    }
    if (Route.of(in.get(end)) == null) {
      throw new IllegalArgumentException("a route must be 0, 1 or 2: route=" + in.get(end));
    }
    end++;
    return true;
  }

  private boolean keys(ByteBuffer in, int arraysPerKey) {
    if (!has(in, Integer.BYTES)) {
      return false;
    }
    int keys = in.getInt(end);
    if (keys < 0 || keys > KEYS_MAX) {
      throw new IllegalArgumentException(
          "a request must name 0 to " + KEYS_MAX + " keys: keys=" + keys);
    }
    end += Integer.BYTES;
    return expectArrays(keys * arraysPerKey);
  }

  /** A flag, followed by {@code what} if it is set. */
  private boolean flag(ByteBuffer in, Part what) {
    if (!has(in, 1)) {
      return false;
    }
    if (in.get(end++) != 0) {
      parts.addFirst(what);
    }
    return true;
  }

  private boolean expectArrays(int count) {
    arrays = count;
    return true;
  }

  private boolean array(ByteBuffer in) {
    if (!has(in, Integer.BYTES)) {
      return false;
    }
    int length = in.getInt(end);
    boolean whole = skip(in, Integer.BYTES, length);
    if (whole) {
      arrays--;
    } else if (arrays == 1 && parts.isEmpty()) {
      lengthMax = end + Integer.BYTES + length;
    }
    return whole;
  }

  private boolean has(ByteBuffer in, int bytes) {
    requireRoom(bytes);
    return in.limit() - end >= bytes;
  }

  /** Skips a field of {@code header} bytes and its content, if both are complete. */
  private boolean skip(ByteBuffer in, int header, int length) {
    if (length < 0) {
      throw new IllegalArgumentException("a length must not be negative: length=" + length);
    }
    requireRoom((long) header + length);
    if (in.limit() - end < header + length) {
      return false;
    }
    end += header + length;
    return true;
  }

  private void requireRoom(long bytes) {
    if (end + bytes > REQUEST_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a request must be at most %d bytes: bytes>=%d"
              .formatted(REQUEST_BYTES_MAX, end + bytes));
    }
  }
}
