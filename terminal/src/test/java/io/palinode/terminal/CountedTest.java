package io.palinode.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountedTest {
  @Test
  void oneHasTheSingular() {
    assertThat(Counted.of(0, "search was", "searches were")).isEqualTo("0 searches were");
    assertThat(Counted.of(1, "search was", "searches were")).isEqualTo("1 search was");
    assertThat(Counted.of(2_000, "search was", "searches were")).isEqualTo("2,000 searches were");
  }
}
