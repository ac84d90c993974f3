package io.palinode.voldemort.protocol;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A value and its version. The array is not copied and must not be changed.
 *
 * <p>Equal when bytes and clock are equal; the clock's timestamp, the origin and the proof have no
 * part in it.
 *
 * @param origin the node that accepted the version first, in a stored record and in an answer to a
 *     request for it; null when unknown
 * @param proof in an answer to such a request: that the node has the version; or empty
 */
public record Versioned(
    byte[] value, VectorClock clock, @Nullable Integer origin, ByteString proof) {
  public Versioned(byte[] value, VectorClock clock, @Nullable Integer origin) {
    this(value, clock, origin, ByteString.EMPTY);
  }

  public Versioned(byte[] value, VectorClock clock) {
    this(value, clock, null);
  }

  public Versioned withOrigin(@Nullable Integer node) {
    return new Versioned(value, clock, node, proof);
  }

  public Versioned withProof(ByteString newProof) {
    return new Versioned(value, clock, origin, newProof);
  }

  public static Versioned ofText(String value, VectorClock clock) {
    return new Versioned(value.getBytes(StandardCharsets.UTF_8), clock);
  }

  /** The value as UTF-8 text. */
  public String text() {
    return new String(value, StandardCharsets.UTF_8);
  }

  /** Without the origin and the proof. */
  public Pb0.Versioned toProto() {
    return builder().build();
  }

  public Pb0.Versioned toProtoWithOrigin() {
    Pb0.Versioned.Builder proto = builder();
    if (!proof.isEmpty()) {
      proto.setProof(proof);
    }
    return (origin == null ? proto : proto.setOrigin(origin)).build();
  }

  private Pb0.Versioned.Builder builder() {
    return Pb0.Versioned.newBuilder()
        .setValue(ByteString.copyFrom(value))
        .setVersion(clock.toProto());
  }

  /** Throws {@link IllegalArgumentException} as {@link VectorClock#fromProto} does. */
  public static Versioned fromProto(Pb0.Versioned proto) {
    return new Versioned(
        proto.getValue().toByteArray(),
        VectorClock.fromProto(proto.getVersion()),
        proto.hasOrigin() ? Integer.valueOf(proto.getOrigin()) : null,
        proto.getProof());
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Versioned other
        && Arrays.equals(value, other.value)
        && clock.equals(other.clock);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(value) + clock.hashCode();
  }

  @Override
  public String toString() {
    return text() + clock;
  }
}
