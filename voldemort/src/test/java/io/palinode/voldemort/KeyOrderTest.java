package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.engine.KeyOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyOrderTest {
  static LongStream seeds() {
    return LongStream.rangeClosed(1, 200);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void keysComeInTheOrderOfTheirUnsignedBytes(long seed) {
    Random random = new Random(seed);
    byte[] begin = new byte[random.nextInt(4)];
    random.nextBytes(begin);
    List<byte[]> keys = new ArrayList<>();
    for (int i = random.nextInt(100); i > 0; i--) {
      byte[] key = Arrays.copyOf(begin, begin.length + random.nextInt(12));
      for (int at = begin.length; at < key.length; at++) {
        key[at] = (byte) (random.nextInt(3) - 1);
      }
      keys.add(key);
    }
    List<byte[]> expected = new ArrayList<>(keys);
    expected.sort(Arrays::compareUnsigned);
    assertThat(KeyOrder.sorted(keys, Function.identity())).containsExactlyElementsOf(expected);
  }
}
