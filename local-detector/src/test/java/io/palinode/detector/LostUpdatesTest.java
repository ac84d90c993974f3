package io.palinode.detector;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.Unseen;
import io.palinode.detector.binding.Version;
import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.VersionRole;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes that supersede what their writers had not seen. */
class LostUpdatesTest extends DetectorFixture {
  private static final String SPEC =
      """
      forEach: {account: "{a}"}
      where: ["{a} != 9"]
      violation:
        - all: [{var: "balance_{a}", lostUpdate: true}]
      """;
  private static final byte[] SEEN = {1};

  @BeforeEach
  void watchLostUpdates() {
    watch(SPEC);
  }

  private Unseen present(String key) {
    return new Unseen(store.siblings(MemoryNode.key(key)), List.of(SEEN));
  }

  @Test
  void aPutThatSupersedesNothingUnseenOpensNothing() {
    store.put("balance_7", "1");
    store.put("balance_7", "2");
    assertThat(drain()).isEmpty();
  }

  @Test
  void aLostUpdateOpensWithItsEvidence() {
    store.put("balance_7", "1");
    Version lost = store.siblings(MemoryNode.key("balance_7")).get(0);
    store.put("balance_7", "2", present("balance_7"));
    Opened opened = (Opened) only(drain());
    assertThat(opened.instance()).isEqualTo("watched|a=7");
    List<VariableVersion> values =
        new CandidateEncoder(0, 1).opened(opened).getOpened().getValuesList();
    assertThat(values)
        .extracting(VariableVersion::getRole)
        .containsExactly(VersionRole.HOLDS, VersionRole.LOST, VersionRole.SEEN);
    assertThat(values)
        .extracting(value -> value.getValue().toStringUtf8())
        .containsExactly("2", "1", "");
    assertThat(values.get(1).getClock().toByteArray()).isEqualTo(lost.clock());
    assertThat(values.get(2).getClock().toByteArray()).isEqualTo(SEEN);
    assertThat(values).allMatch(value -> value.getKey().toStringUtf8().equals("balance_7"));
  }

  @Test
  void itLastsUntilItsVersionIsSuperseded() {
    store.put("balance_7", "1");
    store.put("balance_7", "2", present("balance_7"));
    Opened opened = (Opened) only(drain());
    store.putConcurrently("balance_7", "beside", 1);
    assertThat(drain()).isEmpty();
    store.put("balance_7", "3");
    Closed closed = (Closed) only(drain());
    assertThat(closed.interval()).isEqualTo(opened.interval());
    assertThat(detector.openIntervals()).isZero();
  }

  @Test
  void aSecondOneEndsTheFirst() {
    store.put("balance_7", "1");
    store.put("balance_7", "2", present("balance_7"));
    store.put("balance_7", "3", present("balance_7"));
    List<Emission> out = drain();
    assertThat(out).hasSize(3);
    assertThat(out.get(1)).isInstanceOf(Closed.class);
    assertThat(((Opened) out.get(2)).values()).hasSize(1);
  }

  @Test
  void aDeleteEndsIt() {
    store.put("balance_7", "1");
    store.put("balance_7", "2", present("balance_7"));
    store.delete("balance_7");
    assertThat(drain()).hasSize(2);
    assertThat(detector.openIntervals()).isZero();
  }

  @Test
  void anInstanceThatIsNotWatchedIsLeftOut() {
    store.put("balance_9", "1");
    store.put("balance_9", "2", present("balance_9"));
    store.put("other", "1");
    store.put("other", "2", present("other"));
    assertThat(drain()).isEmpty();
  }

  @Test
  void noScanFindsOne() {
    store.put("balance_7", "1");
    store.put("balance_7", "2", present("balance_7"));
    drain();
    detector.setPredicates(List.of(Watched.predicate("watched", 2, SPEC)));
    assertThat(drain()).isEmpty();
    assertThat(detector.holding()).isEmpty();
  }

  @Test
  void itIsPublishedLateWhileItLasts() {
    store.put("balance_7", "1");
    store.put("balance_7", "2", present("balance_7"));
    Opened opened = (Opened) only(drain());
    detector.lost(opened);
    List<Emission> out = drainAfterProgress();
    Opened late = (Opened) out.stream().filter(Opened.class::isInstance).findFirst().orElseThrow();
    assertThat(late.interval().start()).isEqualTo(opened.interval().start());
    assertThat(late.interval().holding().evidence()).isNotNull();
  }
}
