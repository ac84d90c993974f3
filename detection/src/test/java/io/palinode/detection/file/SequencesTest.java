package io.palinode.detection.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SequencesTest {
  @Test
  void sequencesAreKnownAgainInWhateverOrderTheyCome() {
    Sequences sequences = new Sequences();
    Random random = new Random(3);
    Set<Long> known = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      long sequence = random.nextInt(30_000) * (random.nextBoolean() ? 1L : 1L << 20);
      if (known.size() < 5_000 || known.contains(sequence)) {
        assertThat(sequences.add(sequence)).isEqualTo(known.add(sequence));
      }
    }
  }
}
