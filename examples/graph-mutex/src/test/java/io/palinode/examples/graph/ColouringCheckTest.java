package io.palinode.examples.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ColouringCheckTest {
  private final Graph path = Graphs.parse("grid:4x1");

  @Test
  void properColouringIsRight() {
    assertThat(check("0", "1", "0", "2").isRight()).isTrue();
  }

  @Test
  void sameColoursAtAnEdgeAreNamed() {
    ColouringCheck check = check("0", "1", "1", "1");
    assertThat(check.improper()).containsExactly(new Edge(1, 2), new Edge(2, 3));
    assertThat(check.isRight()).isFalse();
  }

  @Test
  void verticesWithoutColourAreNamedAndMakeNoEdgeImproper() {
    ColouringCheck check = check(null, null, "1", "0");
    assertThat(check.uncoloured()).containsExactly(0, 1);
    assertThat(check.improper()).isEmpty();
    assertThat(check.isRight()).isFalse();
  }

  private ColouringCheck check(@Nullable String... colours) {
    List<@Nullable String> list = Arrays.asList(colours);
    return ColouringCheck.of(path, list::get);
  }
}
