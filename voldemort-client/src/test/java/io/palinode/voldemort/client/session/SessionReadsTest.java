package io.palinode.voldemort.client.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.voldemort.client.session.SessionReads.Stale;
import io.palinode.voldemort.client.session.SessionReads.Start;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionReadsTest {
  private static final String STORE = "s";
  private static final byte[] KEY = {1};
  private static final Versioned OLD = version("old", VectorClock.EMPTY.incremented(0, 1));
  private static final Versioned NEW = version("new", OLD.clock().incremented(1, 2));
  private static final Versioned BESIDE = version("beside", VectorClock.EMPTY.incremented(2, 3));

  private final SessionReads reads = new SessionReads(2);

  private static Versioned version(String text, VectorClock clock) {
    return Versioned.ofText(text, clock);
  }

  private List<Stale> read(long epoch, Versioned... versions) {
    return reads.read(STORE, KEY, reads.begin(epoch), epoch, List.of(versions));
  }

  private void write(long epoch, Versioned version) {
    reads.wrote(STORE, KEY, reads.begin(epoch), epoch, version.clock());
  }

  @Test
  void aReadOfWhatTheSessionSupersededIsOld() {
    write(1, OLD);
    write(1, NEW);
    assertThat(read(1, OLD)).containsExactly(new Stale(OLD, NEW.clock(), true, false));
    assertThat(read(1, NEW)).isEmpty();
  }

  @Test
  void aReadOfWhatAPutFoundIsOld() {
    reads.found(STORE, KEY, reads.begin(1), 1, List.of(OLD.clock()));
    write(1, NEW);
    assertThat(read(1, OLD)).containsExactly(new Stale(OLD, NEW.clock(), true, false));
  }

  @Test
  void aReadThatGoesBackIsOldAndNotMonotonic() {
    assertThat(read(1, OLD)).isEmpty();
    assertThat(read(1, NEW)).isEmpty();
    assertThat(read(1, OLD)).containsExactly(new Stale(OLD, NEW.clock(), false, true));
  }

  @Test
  void aReadThatGoesBackToAnOwnWriteIsOldOnly() {
    write(1, OLD);
    assertThat(read(1, NEW)).isEmpty();
    assertThat(read(1, OLD)).containsExactly(new Stale(OLD, NEW.clock(), false, false));
  }

  /** The clocks of a key start again with a delete: the old one may be the later one. */
  @Test
  void aFirstReadIsNotOldByItsClockAlone() {
    assertThat(read(1, NEW)).isEmpty();
    assertThat(read(1, OLD)).isEmpty();
    write(1, NEW);
    Versioned recreated = version("recreated", VectorClock.EMPTY.incremented(1, 9));
    assertThat(read(1, recreated)).isEmpty();
  }

  @Test
  void aSiblingIsNotOld() {
    read(1, BESIDE);
    write(1, NEW);
    assertThat(read(1, BESIDE)).isEmpty();
    assertThat(read(1, BESIDE, NEW)).isEmpty();
  }

  @Test
  void aReadThatBeganBeforeIsNotOld() {
    read(1, OLD);
    Start start = reads.begin(1);
    write(1, NEW);
    assertThat(reads.read(STORE, KEY, start, 1, List.of(OLD))).isEmpty();
    assertThat(read(1, OLD)).hasSize(1);
  }

  @Test
  void readsAtOnceHaveNoOrder() {
    Start first = reads.begin(1);
    Start second = reads.begin(1);
    reads.read(STORE, KEY, first, 1, List.of(OLD));
    reads.read(STORE, KEY, second, 1, List.of(NEW));
    assertThat(read(1, OLD)).isEmpty();
  }

  @Test
  void aRollbackMakesOldVersionsNew() {
    read(1, OLD);
    write(1, NEW);
    Start before = reads.begin(1);
    assertThat(read(2, OLD)).isEmpty();
    assertThat(reads.read(STORE, KEY, before, 1, List.of(OLD))).isEmpty();
    write(2, NEW);
    assertThat(reads.read(STORE, KEY, before, 2, List.of(OLD))).isEmpty();
    assertThat(read(2, OLD)).hasSize(1);
  }

  @Test
  void withoutAnEpochNothingIsJudged() {
    read(EpochView.UNKNOWN, OLD);
    write(EpochView.UNKNOWN, NEW);
    assertThat(read(EpochView.UNKNOWN, OLD)).isEmpty();
  }

  @Test
  void aDeleteOfTheSessionBeginsAgain() {
    read(1, OLD);
    write(1, NEW);
    reads.deleted(STORE, KEY);
    assertThat(read(1, OLD)).isEmpty();
  }

  @Test
  void aForgottenKeyHidesAReadAndMakesNone() {
    read(1, OLD);
    write(1, NEW);
    for (byte other = 2; other < 4; other++) {
      reads.read(STORE, new byte[] {other}, reads.begin(1), 1, List.of(BESIDE));
    }
    assertThat(read(1, OLD)).isEmpty();
  }

  @Test
  void aNodeIsSentTheBeginningOfALongValue() {
    Versioned longer = new Versioned(new byte[2_000], OLD.clock());
    Pb0.StaleRead stated = new Stale(longer, NEW.clock(), true, false).toProto();
    assertThat(stated.getRead().getValue().size()).isEqualTo(1_024);
    assertThat(stated.getValueBytes()).isEqualTo(2_000);
    assertThat(new Stale(OLD, NEW.clock(), true, false).toProto().hasValueBytes()).isFalse();
  }
}
