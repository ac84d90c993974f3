package io.palinode.voldemort.vp;

import static io.palinode.voldemort.TestNodes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class VpCodecTest {
  private static final byte[] KEY = bytes("k");
  private static final byte[] CLOCK = WireBytes.clock(5, 1, 0, 1);

  /** One of each operation. */
  static List<byte[]> requests(VpVersion version) {
    VpRequests requests = VpRequests.of(version);
    List<byte[]> all =
        new ArrayList<>(
            List.of(
                requests.get("s", KEY),
                requests.getVersion("s", KEY),
                requests.getAll("s", List.of(KEY, new byte[0])),
                requests.getAll("s", List.of()),
                requests.put("s", KEY, CLOCK, bytes("value")),
                requests.delete("s", KEY, CLOCK)));
    if (version == VpVersion.VP3) {
      byte[] get = requests.get("s", KEY);
      get[get.length - 1] = 1;
      all.add(new WireBytes().raw(get).array("transform").toBytes());
      byte[] getAll = requests.getAll("s", List.of(KEY));
      getAll[getAll.length - 1] = 1;
      all.add(new WireBytes().raw(getAll).i32(1).array(KEY).array("transform").toBytes());
    }
    return all;
  }

  @ParameterizedTest
  @EnumSource(VpVersion.class)
  void aRequestIsFoundWholeByteByByteAndWithAnotherBehindIt(VpVersion version) {
    for (byte[] request : requests(version)) {
      RequestScan scan = new RequestScan(version);
      for (int length = 0; length < request.length; length++) {
        assertThat(scan.length(ByteBuffer.wrap(request, 0, length))).isEqualTo(-1);
      }
      byte[] two = new WireBytes().raw(request).raw(request).toBytes();
      assertThat(scan.length(ByteBuffer.wrap(two))).isEqualTo(request.length);
      assertThat(new RequestScan(version).length(ByteBuffer.wrap(two))).isEqualTo(request.length);
    }
  }

  @ParameterizedTest
  @EnumSource(VpVersion.class)
  void whatAClientWritesIsRead(VpVersion version) {
    List<VpRequest> read =
        requests(version).stream()
            .map(bytes -> VpRequest.decode(version, ByteBuffer.wrap(bytes)))
            .toList();
    assertThat(read).extracting(VpRequest::store).containsOnly("s");
    assertThat(read).extracting(VpRequest::route).containsOnly(Route.NORMAL);
    assertThat(((VpRequest.Get) read.get(0)).key()).isEqualTo(KEY);
    assertThat(((VpRequest.GetVersion) read.get(1)).key()).isEqualTo(KEY);
    assertThat(((VpRequest.GetAll) read.get(2)).keys()).containsExactly(KEY, new byte[0]);
    assertThat(((VpRequest.GetAll) read.get(3)).keys()).isEmpty();
    VpRequest.Put put = (VpRequest.Put) read.get(4);
    assertThat(put.key()).isEqualTo(KEY);
    assertThat(put.versioned()).isEqualTo(TestNodes.version("value", 1));
    assertThat(put.versioned().clock().timestampMs()).isEqualTo(5);
    assertThat(((VpRequest.Delete) read.get(5)).upTo()).isEqualTo(TestNodes.vector(1));
  }

  static Stream<Arguments> routes() {
    return Stream.of(
        Arguments.of(VpVersion.VP0, 1, Route.NORMAL),
        Arguments.of(VpVersion.VP1, 1, Route.ROUTED),
        Arguments.of(VpVersion.VP1, 2, Route.NORMAL),
        Arguments.of(VpVersion.VP2, 1, Route.ROUTED),
        Arguments.of(VpVersion.VP2, 2, Route.IGNORE_CHECKS),
        Arguments.of(VpVersion.VP3, 2, Route.IGNORE_CHECKS));
  }

  @ParameterizedTest
  @MethodSource("routes")
  void aRouteIsReadAsItsProtocolEncodesIt(VpVersion version, int code, Route read) {
    byte[] get = VpRequests.of(version).routed(code).get("s", KEY);
    assertThat(new RequestScan(version).length(ByteBuffer.wrap(get))).isEqualTo(get.length);
    assertThat(VpRequest.decode(version, ByteBuffer.wrap(get)).route()).isEqualTo(read);
  }

  @Test
  void theBytesOfAPutAreThoseOfTheDrawing() {
    assertThat(hex(VpRequests.of(VpVersion.VP3).put("s", KEY, CLOCK, bytes("v"))))
        .isEqualTo(
            "02" // put
                + "000173" // store s
                + "00" // not routed
                + "00" // route
                + "000000016b" // key k
                + "0000000f" // clock and value
                + "0001" // one entry
                + "01" // of one byte
                + "0000" // node 0
                + "01" // counter 1
                + "0000000000000005" // ms
                + "76" // v
                + "00"); // no transform
  }

  @Test
  void theBytesOfAnswersAreThoseOfTheDrawing() {
    Versioned version = new Versioned(bytes("v"), VectorClock.decode(CLOCK));
    String clock = "0001" + "01" + "0000" + "01" + "0000000000000005";
    assertThat(hex(VpAnswer.get(List.of()))).isEqualTo("0000" + "00000000");
    String one = "00000001" + "0000000f" + clock + "76";
    assertThat(hex(VpAnswer.get(List.of(version)))).isEqualTo("0000" + one);
    assertThat(hex(VpAnswer.getVersion(List.of(version))))
        .isEqualTo("0000" + "00000001" + "0000000e" + clock);
    assertThat(hex(VpAnswer.getAll(List.of(new VpAnswer.Found(KEY, List.of(version))))))
        .isEqualTo("0000" + "00000001" + "00000001" + "6b" + one);
    assertThat(hex(VpAnswer.put())).isEqualTo("0000");
    assertThat(hex(VpAnswer.delete(true))).isEqualTo("0000" + "01");
    assertThat(hex(VpAnswer.delete(false))).isEqualTo("0000" + "00");
    assertThat(hex(VpAnswer.error(ErrorCode.OBSOLETE_VERSION, "é")))
        .isEqualTo("0004" + "0002" + "c3a9");
  }

  @Test
  void aMessageThatIsTooLongIsCutOff() {
    byte[] error = VpAnswer.error(ErrorCode.VOLDEMORT, "\u20ac".repeat(70_000));
    assertThat(error).hasSize(2 + 2 + 65_535);
  }

  /** From the operation on, of vp2. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "00", // no operation
        "05",
        "ff",
        "01 0001 73 00 03", // no route
        "01 0001 73 00 ff",
        "01 0001 73 00 00 ffffffff", // negative length of a key
        "01 0001 73 00 00 7fffffff", // too long
        "01 0001 73 00 00 04000000",
        "04 0001 73 00 00 ffffffff", // negative number of keys
        "04 0001 73 00 00 00040001", // too many
        "02 0001 73 00 00 00000001 6b 80000000", // negative length of a value
        "03 0001 73 00 00 00000001 6b 8000" // negative length of a clock
      })
  void bytesWithWhichNoRequestBeginsAreRefusedBeforeAnythingIsAllocated(String hex) {
    ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", "")));
    assertThatThrownBy(() -> new RequestScan(VpVersion.VP2).length(bytes))
        .isInstanceOf(IllegalArgumentException.class);
  }

  static Stream<byte[]> badClocks() {
    return Stream.of(
        new byte[0],
        new byte[] {0, 1, 1},
        WireBytes.clock(0, 2, 0, 1), // not the least size
        WireBytes.clock(0, 1, 0, 0), // a counter of 0
        WireBytes.clock(0, 1, 1, 1, 0, 1), // not ascending
        WireBytes.clock(0, 1, 40_000, 1),
        WireBytes.clock(0, 9, 0, 1),
        new byte[] {-1, -1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  }

  @ParameterizedTest
  @MethodSource("badClocks")
  void aClockThatNoClientMakesIsRefused(byte[] clock) {
    byte[] delete = VpRequests.of(VpVersion.VP1).delete("s", KEY, clock);
    byte[] put = VpRequests.of(VpVersion.VP1).put("s", KEY, clock, new byte[0]);
    for (byte[] request : List.of(delete, put)) {
      assertThat(new RequestScan(VpVersion.VP1).length(ByteBuffer.wrap(request)))
          .isEqualTo(request.length);
      assertThatThrownBy(() -> VpRequest.decode(VpVersion.VP1, ByteBuffer.wrap(request)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void countersOfAllSizesAreRead() {
    for (int size = 1; size <= Long.BYTES; size++) {
      long counter = size == Long.BYTES ? Long.MAX_VALUE : (1L << (8 * size)) - 1;
      byte[] put =
          VpRequests.of(VpVersion.VP1)
              .put("s", KEY, WireBytes.clock(0, size, 3, counter, 7, 1), bytes("v"));
      VpRequest.Put read = (VpRequest.Put) VpRequest.decode(VpVersion.VP1, ByteBuffer.wrap(put));
      assertThat(read.versioned().text()).isEqualTo("v");
      assertThat(read.versioned().clock().entries())
          .isEqualTo(new TreeMap<>(java.util.Map.of(3, counter, 7, 1L)));
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
