package io.palinode.hazelcast.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BlindnessTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final List<Long> gaps = new ArrayList<>();
  private boolean accepts = true;
  private final Blindness blindness =
      new Blindness(
          since -> {
            if (accepts) {
              gaps.add(since);
            }
            return accepts;
          },
          100);

  @Test
  void aCauseIsAGapSinceTheLastLookWithoutIt() {
    blindness.look(Set.of(), 0, 110);
    blindness.look(Set.of("x"), SECOND, 120);
    blindness.look(Set.of("x"), 2 * SECOND, 130);
    assertThat(gaps).containsExactly(110L);
    blindness.look(Set.of("x"), 12 * SECOND, 140);
    assertThat(gaps).containsExactly(110L, 120L);
    blindness.look(Set.of(), 13 * SECOND, 150);
    assertThat(gaps).as("its end").containsExactly(110L, 120L, 140L);
    blindness.look(Set.of(), 14 * SECOND, 160);
    assertThat(gaps).hasSize(3);
  }

  @Test
  void aGapThatCannotBePublishedIsPublishedLater() {
    accepts = false;
    blindness.look(Set.of("x"), 0, 110);
    accepts = true;
    blindness.look(Set.of("x"), SECOND, 120);
    assertThat(gaps).containsExactly(100L);
  }
}
