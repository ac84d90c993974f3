package io.palinode.hvc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HvcCodecTest {
  @Test
  void theBytesOfVersion1DoNotChange() {
    assertThat(hex(HvcClockTest.hvc(1, 1_000_000, 1_010_000, 1_000_000)))
        .isEqualTo("01" + "03" + "02" + "8080d4b40f" + "8080c413" + "00");
    assertThat(
            hex(
                HvcClockTest.hvc(1, 1_000_000, 1_010_000, 1_000_000)
                    .merge(Hvc.of(0, Hlc.parse("1000000.3"), 0, 0))))
        .isEqualTo("01" + "03" + "00" + "8080d4b40f" + "8080c413" + "03" + "faff8727" + "00");
  }

  @Test
  void everyReadingSurvives() {
    for (long seed = 0; seed < 5_000; seed++) {
      Hvc hvc = random(new Random(seed));
      assertThat(HvcCodec.decode(HvcCodec.encode(hvc))).as("seed=%d", seed).isEqualTo(hvc);
    }
  }

  @Test
  void anEntryWithoutRecentMessagesCostsOneBit() {
    long[] entries = new long[100];
    Arrays.fill(entries, Hlc.ofMicros(1_700_000_000_000_000L));
    entries[4] = Hlc.ofMicros(1_700_000_000_010_000L);
    assertThat(HvcCodec.encode(Hvc.of(4, entries))).hasSizeLessThan(2 + 2 + 10 + 5 + 13);
  }

  @Test
  void bytesThatAreNotAReadingAreRefused() {
    byte[] good = HvcCodec.encode(HvcClockTest.hvc(1, 1_000_000, 1_010_000, 1_005_000));
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThatThrownBy(() -> HvcCodec.decode(cut))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cut off");
    }
    assertThatThrownBy(() -> HvcCodec.decode(Arrays.copyOf(good, good.length + 1)))
        .hasMessageContaining("extra bytes=1");
    byte[] other = good.clone();
    other[0] = 2;
    assertThatThrownBy(() -> HvcCodec.decode(other)).hasMessageContaining("version=2");
  }

  @Test
  void noiseGivesAReadingOrARefusalAndNothingElse() {
    for (long seed = 0; seed < 20_000; seed++) {
      byte[] noise = new byte[new Random(seed).nextInt(40)];
      new Random(seed).nextBytes(noise);
      if (noise.length > 0) {
        noise[0] = 1;
      }
      try {
        assertThat(HvcCodec.decode(noise).nodes()).isPositive();
      } catch (IllegalArgumentException refused) {
        assertThat(refused).as("seed=%d", seed).hasMessageMatching("(?s).+");
      }
    }
  }

  private static Hvc random(Random random) {
    int nodes = 1 + random.nextInt(20);
    long[] entries = new long[nodes];
    long base = random.nextLong() & Long.MAX_VALUE;
    for (int i = 0; i < nodes; i++) {
      entries[i] =
          switch (random.nextInt(4)) {
            case 0 -> random.nextLong() & Long.MAX_VALUE;
            case 1 -> 0;
            default -> Math.max(0, base - random.nextInt(100_000));
          };
    }
    return Hvc.of(random.nextInt(nodes + 1) - 1, entries);
  }

  private static String hex(Hvc hvc) {
    return HexFormat.of().formatHex(HvcCodec.encode(hvc));
  }
}
