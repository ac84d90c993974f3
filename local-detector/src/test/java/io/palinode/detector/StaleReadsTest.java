package io.palinode.detector;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.SeenBefore;
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

/** Reads that clients state to have returned an old version. */
class StaleReadsTest extends DetectorFixture {
  private static final String SPEC =
      """
      forEach: {account: "{a}"}
      where: ["{a} != 9"]
      violation:
        - all: [{var: "balance_{a}", staleRead: true}]
        - all: [{var: "balance_{a}", nonMonotonicRead: true}]
      """;
  private static final SeenBefore WRITTEN =
      new SeenBefore(new Version(new byte[0], new byte[] {9}), true);
  private static final SeenBefore READ =
      new SeenBefore(new Version(new byte[0], new byte[] {9}), false);

  @BeforeEach
  void watchReads() {
    watch(SPEC);
  }

  private Version present(String key) {
    return store.siblings(MemoryNode.key(key)).get(0);
  }

  private static List<VariableVersion> values(Emission opened) {
    return new CandidateEncoder(0, 1).opened((Opened) opened).getOpened().getValuesList();
  }

  @Test
  void aWriteOpensNothing() {
    store.put("balance_7", "1");
    store.put("balance_7", "2");
    assertThat(drain()).isEmpty();
  }

  @Test
  void aStaleReadOpensWithItsEvidence() {
    store.put("balance_7", "1");
    store.readStale("balance_7", present("balance_7"), WRITTEN, false);
    Opened opened = (Opened) only(drain());
    assertThat(opened.instance()).isEqualTo("watched|a=7");
    assertThat(opened.interval().source().writer()).isEqualTo("reader");
    assertThat(opened.interval().source().origin()).isZero();
    List<VariableVersion> values = values(opened);
    assertThat(values)
        .extracting(VariableVersion::getRole)
        .containsExactly(VersionRole.HOLDS, VersionRole.WRITTEN);
    assertThat(values)
        .extracting(value -> value.getValue().toStringUtf8())
        .containsExactly("1", "");
    assertThat(values.get(1).getClock().toByteArray()).containsExactly(9);
    assertThat(values).allMatch(value -> value.getKey().toStringUtf8().equals("balance_7"));
  }

  @Test
  void aReadThatGoesBackMakesBothTermsTrue() {
    store.put("balance_7", "1");
    store.readStale("balance_7", present("balance_7"), READ, true);
    List<Emission> out = drain();
    assertThat(out).hasSize(2);
    assertThat(values(out.get(1)))
        .extracting(VariableVersion::getRole)
        .containsExactly(VersionRole.HOLDS, VersionRole.READ);
  }

  @Test
  void itIsPublishedOnceUntilItsVersionIsSuperseded() {
    store.put("balance_7", "1");
    store.readStale("balance_7", present("balance_7"), WRITTEN, false);
    Opened opened = (Opened) only(drain());
    store.readStale("balance_7", present("balance_7"), WRITTEN, false);
    store.putConcurrently("balance_7", "beside", 1);
    assertThat(drain()).isEmpty();
    store.put("balance_7", "3");
    assertThat(((Closed) only(drain())).interval()).isEqualTo(opened.interval());
    assertThat(detector.openIntervals()).isZero();
  }

  @Test
  void aVersionThatIsGoneByThenIsPublishedToo() {
    store.put("balance_7", "1");
    Version read = present("balance_7");
    store.put("balance_7", "2");
    store.readStale("balance_7", read, WRITTEN, false);
    assertThat(only(drain())).isInstanceOf(Opened.class);
    store.put("balance_7", "3");
    assertThat(only(drain())).isInstanceOf(Closed.class);
  }

  @Test
  void aKeyThatIsNotWatchedIsLeftOut() {
    store.put("balance_9", "1");
    store.readStale("balance_9", present("balance_9"), WRITTEN, false);
    store.put("other", "1");
    store.readStale("other", present("other"), WRITTEN, false);
    assertThat(drain()).isEmpty();
  }

  @Test
  void noScanFindsOne() {
    store.put("balance_7", "1");
    store.readStale("balance_7", present("balance_7"), WRITTEN, false);
    drain();
    detector.setPredicates(List.of(Watched.predicate("watched", 2, SPEC)));
    assertThat(drain()).isEmpty();
    assertThat(detector.holding()).isEmpty();
  }
}
