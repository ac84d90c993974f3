package io.palinode.voldemort.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.netty.buffer.Unpooled;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.request.Pb0Scan.Limits;
import io.palinode.voldemort.request.Pb0Scan.TooMuch;
import io.palinode.voldemort.server.Requests;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Requests that name so much that to parse them takes many times their length. */
class Pb0ScanTest {
  private static final Limits LIMITS = new Limits(8, 6, 40);
  private static final int CASES = 20_000;

  @Test
  void whatARequestNamesIsCountedAsAParserCountsIt() throws InvalidProtocolBufferException {
    long seed = System.nanoTime();
    for (int i = 0; i < CASES; i++) {
      Random random = new Random(seed + i);
      VoldemortRequest request = request(random);
      TooMuch tooMuch = scan(request.toByteArray(), LIMITS);
      assertThat(tooMuch == null ? null : tooMuch.why())
          .as("seed %d: %s", seed + i, request)
          .isEqualTo(expected(request));
      if (tooMuch != null) {
        assertThat(tooMuch.type()).isEqualTo(request.getType());
      }
    }
  }

  /** Few other fields, so that these never are too many. */
  private static VoldemortRequest request(Random random) {
    RequestType type = RequestType.forNumber(random.nextInt(5));
    VoldemortRequest.Builder request =
        VoldemortRequest.newBuilder().setType(type).setShouldRoute(false).setStore("s");
    if (random.nextBoolean()) {
      Pb0.GetAllRequest.Builder keys = Pb0.GetAllRequest.newBuilder();
      for (int left = random.nextInt(12); left > 0; left--) {
        keys.addKeys(ByteString.copyFrom(new byte[random.nextInt(3)]));
      }
      request.setGetAll(keys);
    }
    if (random.nextBoolean()) {
      request.setPut(
          Pb0.PutRequest.newBuilder()
              .setKey(ByteString.EMPTY)
              .setVersioned(
                  Pb0.Versioned.newBuilder()
                      .setValue(ByteString.copyFrom(new byte[random.nextInt(100)]))
                      .setVersion(clock(random))));
    }
    if (random.nextBoolean()) {
      request.setDelete(
          Pb0.DeleteRequest.newBuilder().setKey(ByteString.EMPTY).setVersion(clock(random)));
    }
    if (random.nextBoolean()) {
      request.setPalinode(Pb0.RequestContext.newBuilder().setClient("c").setEpoch(3));
    }
    return request.build();
  }

  private static Pb0.VectorClock.Builder clock(Random random) {
    Pb0.VectorClock.Builder clock = Pb0.VectorClock.newBuilder();
    for (int left = random.nextInt(6); left > 0; left--) {
      clock.addEntries(Pb0.ClockEntry.newBuilder().setNodeId(left).setVersion(random.nextLong()));
    }
    return clock;
  }

  private static @Nullable String expected(VoldemortRequest request) {
    if (request.getGetAll().getKeysCount() > LIMITS.keysMax()) {
      return "a request must name at most 8 keys";
    }
    int entries =
        request.getPut().getVersioned().getVersion().getEntriesCount()
            + request.getDelete().getVersion().getEntriesCount();
    return entries > LIMITS.clockEntriesMax() ? "a clock must have at most 6 entries" : null;
  }

  @Test
  void whatNoReleaseKnowsIsCountedToo() throws IOException {
    UnknownFieldSet.Field.Builder many = UnknownFieldSet.Field.newBuilder();
    for (int i = 0; i < 50; i++) {
      many.addFixed32(i);
    }
    assertThat(scan(withUnknown(many.build()), LIMITS))
        .isEqualTo(new TooMuch(RequestType.GET, "a request must have at most 40 other fields"));
    UnknownFieldSet.Builder inner = UnknownFieldSet.newBuilder().mergeField(1, many.build());
    UnknownFieldSet.Field group =
        UnknownFieldSet.Field.newBuilder().addGroup(inner.build()).build();
    assertThat(scan(withUnknown(group), LIMITS)).isNotNull();
    assertThat(scan(withUnknown(group), new Limits(8, 6, 60))).isNull();
  }

  private static byte[] withUnknown(UnknownFieldSet.Field field) {
    return Requests.get("s", "k").toBuilder()
        .setUnknownFields(UnknownFieldSet.newBuilder().addField(77, field).build())
        .build()
        .toByteArray();
  }

  @Test
  void whatAParserRefusesIsRefusedAndWhatItTakesIsNot() {
    long seed = System.nanoTime();
    Limits none = new Limits(1 << 20, 1 << 20, 1 << 20);
    Limits noneButScanned = new Limits(1 << 20, 1 << 20, 0);
    for (int i = 0; i < CASES; i++) {
      Random random = new Random(seed + i);
      byte[] bytes = request(random).toByteArray();
      for (int left = random.nextInt(4); left > 0; left--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      boolean parsed = parses(bytes);
      boolean scanned = scans(bytes, none) && scans(bytes, noneButScanned);
      assertThat(scanned || !parsed).as("seed %d", seed + i).isTrue();
    }
  }

  private static boolean parses(byte[] bytes) {
    try {
      var unused = VoldemortRequest.parseFrom(bytes);
      return true;
    } catch (InvalidProtocolBufferException e) {
      return false;
    }
  }

  private static boolean scans(byte[] bytes, Limits limits) {
    try {
      var unused = scan(bytes, limits);
      return true;
    } catch (InvalidProtocolBufferException e) {
      return false;
    }
  }

  @Test
  void withoutATypeThereIsNoAnswer() throws IOException {
    byte[] bytes = many(0x2A, GET_ALL_KEYS, 9);
    assertThatThrownBy(() -> scan(bytes, LIMITS))
        .isInstanceOf(InvalidProtocolBufferException.class)
        .hasMessageContaining("without a type");
  }

  private static final int GET_ALL_KEYS = 0x0A;

  private static @Nullable TooMuch scan(byte[] bytes, Limits limits)
      throws InvalidProtocolBufferException {
    return Pb0Scan.in(Unpooled.wrappedBuffer(bytes), limits);
  }

  /** {@code count} empty fields in a message of a field. */
  private static byte[] many(int outerTag, int tag, int count) throws IOException {
    byte[] inner = new byte[2 * count];
    for (int i = 0; i < inner.length; i += 2) {
      inner[i] = (byte) tag;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    CodedOutputStream coded = CodedOutputStream.newInstance(out);
    coded.writeUInt32NoTag(outerTag);
    coded.writeByteArrayNoTag(inner);
    coded.flush();
    return out.toByteArray();
  }
}
