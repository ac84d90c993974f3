package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FirstReplicaTest {
  @Test
  void aNameWithoutItsTimeEndsWithItsClock() {
    assertThat(FirstReplica.untimed("s/x1@0a09.1700000000123")).isEqualTo("s/x1@0a09");
    assertThat(FirstReplica.untimed("s/x1@0a09.0")).isEqualTo("s/x1@0a09");
    assertThat(FirstReplica.untimed("s/x1@0a09.-5")).isEqualTo("s/x1@0a09");
    assertThat(FirstReplica.untimed("s/a@b.c@0a09.5")).isEqualTo("s/a@b.c@0a09");
  }

  /** A key may have any characters; a clock has none but digits. */
  @Test
  void aNameThatHasNoTimeHasNoShorterOne() {
    assertThat(FirstReplica.untimed("s/x1@0a09")).isNull();
    assertThat(FirstReplica.untimed("s/a@b.c@0a09")).isNull();
    assertThat(FirstReplica.untimed("s.1/x.1@0a09")).isNull();
    assertThat(FirstReplica.untimed("x.1")).isNull();
    assertThat(FirstReplica.untimed("")).isNull();
  }
}
