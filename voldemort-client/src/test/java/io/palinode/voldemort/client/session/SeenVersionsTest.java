package io.palinode.voldemort.client.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.voldemort.protocol.VectorClock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SeenVersionsTest {
  private static final String STORE = "s";
  private static final VectorClock ONE = VectorClock.EMPTY.incremented(0, 1);
  private static final VectorClock TWO = ONE.incremented(0, 2);
  private static final VectorClock THREE = TWO.incremented(0, 3);
  private static final VectorClock BESIDE = VectorClock.EMPTY.incremented(1, 3);

  private final SeenVersions seen = new SeenVersions(2);

  @Test
  void ofAKeyThatWasNeverSeenNothingIsKnown() {
    assertThat(seen.of(STORE, key("k"))).isEmpty();
  }

  @Test
  void onlyVersionsThatNoOtherSupersedesAreKept() {
    seen.read(STORE, key("k"), List.of(ONE, BESIDE));
    seen.read(STORE, key("k"), List.of(TWO));
    seen.read(STORE, key("k"), List.of(ONE));
    assertThat(seen.of(STORE, key("k"))).containsExactlyInAnyOrder(TWO, BESIDE);
    assertThat(seen.of("other", key("k"))).isEmpty();
  }

  @Test
  void onceItIsFullOtherKeysAreUnknownAndKnownOnesStay() {
    seen.read(STORE, key("a"), List.of(ONE));
    seen.read(STORE, key("b"), List.of(ONE));
    assertThat(seen.of(STORE, key("c"))).isEmpty();
    seen.read(STORE, key("c"), List.of(ONE));
    assertThat(seen.of(STORE, key("c"))).isNull();
    assertThat(seen.of(STORE, key("d"))).isNull();
    seen.read(STORE, key("a"), List.of(TWO));
    assertThat(seen.of(STORE, key("a"))).containsExactly(TWO);
  }

  /** A node may have accepted it, and another thread may supersede it. */
  @Test
  void anOwnWriteIsSeenBeforeItsAnswer() {
    seen.begins(STORE, key("k"), ONE);
    assertThat(seen.of(STORE, key("k"))).containsExactly(ONE);
    seen.ends(STORE, key("k"), List.of(ONE));
    assertThat(seen.of(STORE, key("k"))).as("it was refused").isEmpty();
  }

  @Test
  void aKeyWithTooManySiblingsIsGivenUpForGood() {
    for (int node = 0; node <= SeenVersions.VERSIONS_MAX; node++) {
      assertThat(seen.of(STORE, key("k"))).hasSize(node);
      seen.read(STORE, key("k"), List.of(VectorClock.EMPTY.incremented(node, 1)));
    }
    assertThat(seen.of(STORE, key("k"))).isNull();
    seen.read(STORE, key("k"), List.of(TWO));
    assertThat(seen.of(STORE, key("k"))).isNull();
    assertThat(seen.of(STORE, key("other"))).isEmpty();
  }

  @Test
  void anOwnWriteThatARollbackDiscardedIsNotSeenAndOneThatStandsIs() {
    seen.read(STORE, key("k"), List.of(ONE));
    seen.wrote(STORE, key("k"), TWO, 100);
    seen.wrote(STORE, key("k"), THREE, 200);
    seen.read(STORE, key("k"), List.of(THREE));
    assertThat(seen.of(STORE, key("k"))).containsExactly(THREE);
    seen.rolledBack(new RolledBack(0, 1, 100, 0));
    assertThat(seen.of(STORE, key("k"))).containsExactly(TWO);
    seen.rolledBack(new RolledBack(1, 2, 50, 0));
    assertThat(seen.of(STORE, key("k")))
        .as("it may have restored the other")
        .containsExactly(THREE);
  }

  @Test
  void whatMayStandAfterARollbackStaysSeen() {
    seen.wrote(STORE, key("k"), ONE, 100);
    seen.rolledBack(new RolledBack(0, 2, 50, 0));
    seen.rolledBack(new RolledBack(2, 3, 50, 0, true));
    assertThat(seen.of(STORE, key("k"))).containsExactly(ONE);
    seen.wrote(STORE, key("stock"), ONE, 0);
    seen.rolledBack(new RolledBack(3, 4, 50, 0));
    assertThat(seen.of(STORE, key("stock"))).containsExactly(ONE);
  }

  @Test
  void onlyTheLatestOwnWritesMayBeDiscarded() {
    VectorClock clock = ONE;
    for (int i = 0; i <= SeenVersions.RECENT_MAX; i++) {
      clock = clock.incremented(0, i);
      seen.wrote(STORE, key("k"), clock, 100 + i);
    }
    seen.rolledBack(new RolledBack(0, 1, 50, 0));
    assertThat(seen.of(STORE, key("k"))).containsExactly(TWO);
  }

  private static byte[] key(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
