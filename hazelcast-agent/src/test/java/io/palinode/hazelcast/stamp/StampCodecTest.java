package io.palinode.hazelcast.stamp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StampCodecTest {
  private static final int CLUSTER = 0xCAFE0001;
  private static final byte[] PAYLOAD = "payload of Hazelcast".getBytes(US_ASCII);
  private static final Hvc HVC =
      Hvc.of(1, Hlc.ofMicros(990_000), Hlc.of(1_000_000, 3), Hlc.ofMicros(995_000));

  /** Version 1. */
  private static final String GOLDEN =
      "01cafe0001" + "010302838090a10f8380c413048680c413" + "001c" + "504c4e53";

  @Test
  void theBytesOfVersion1Stay() {
    String bytes = HexFormat.of().formatHex(StampCodec.encode(CLUSTER, HVC));
    assertThat(bytes).isEqualTo(GOLDEN);
    assertThat(StampCodec.find(join(PAYLOAD, HexFormat.of().parseHex(GOLDEN)), CLUSTER))
        .isEqualTo(HVC);
  }

  @Test
  void aStampFollowsItsPayload() {
    byte[] stamped = StampCodec.append(PAYLOAD, StampCodec.encode(CLUSTER, HVC));
    assertThat(stamped).startsWith(PAYLOAD);
    assertThat(StampCodec.find(stamped, CLUSTER)).isEqualTo(HVC);
  }

  @Test
  void aPayloadWithoutAStampHasNoClock() {
    assertThat(StampCodec.find(PAYLOAD, CLUSTER)).isNull();
    assertThat(StampCodec.find(new byte[0], CLUSTER)).isNull();
    assertThat(StampCodec.find("PLNS".getBytes(US_ASCII), CLUSTER)).isNull();
  }

  @Test
  void aStampOfAnotherVersionOrClusterIsRefused() {
    byte[] stamp = StampCodec.encode(CLUSTER, HVC);
    assertThatThrownBy(() -> StampCodec.find(join(PAYLOAD, stamp), CLUSTER + 1))
        .hasMessage("a stamp must be of this cluster: cluster=cafe0002, received=cafe0001");
    stamp[0] = 2;
    assertThatThrownBy(() -> StampCodec.find(join(PAYLOAD, stamp), CLUSTER))
        .hasMessage("a stamp must be of version 1: version=2");
  }

  @Test
  void eachCutOfAStampIsRefusedOrIsNone() {
    byte[] stamp = StampCodec.encode(CLUSTER, HVC);
    for (int cut = 1; cut < stamp.length; cut++) {
      // Without its end there is no marker; without its beginning its length is too large.
      assertThat(StampCodec.find(Arrays.copyOf(stamp, stamp.length - cut), CLUSTER)).isNull();
      byte[] beheaded = Arrays.copyOfRange(stamp, cut, stamp.length);
      if (beheaded.length >= 6) {
        assertThatThrownBy(() -> StampCodec.find(beheaded, CLUSTER))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  /** None may end a thread of Hazelcast, so each failure has one type. */
  @Test
  void randomBytesBeforeAMarkerAreRefusedOrAreAClock() {
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] bytes = StampCodec.encode(CLUSTER, HVC);
      for (int changes = 1 + random.nextInt(6); changes > 0; changes--) {
        bytes[random.nextInt(bytes.length - 4)] = (byte) random.nextInt();
      }
      byte[] packet = join(PAYLOAD, bytes);
      try {
        Hvc unused = StampCodec.find(packet, CLUSTER);
      } catch (IllegalArgumentException refused) {
        assertThat(refused).as("seed %d", seed).hasMessageMatching("(?s).+");
      }
    }
  }

  private static byte[] join(byte[] payload, byte[] stamp) {
    return StampCodec.append(payload, stamp);
  }
}
