package io.palinode.hazelcast.stamp;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.ClockDriftException;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OperationStampsTest {
  private static final byte[] PAYLOAD = {0, 0, 0, 0, 1, 2, 3, 4, 5};
  private final AtomicLong now = new AtomicLong(1_000_000);
  private final List<ClockDriftException> refused = new ArrayList<>();

  private HvcClock clock(int node, int nodes, long aheadMicros) {
    return new HvcClock(
        node,
        nodes,
        Epsilon.ofMicros(10_000),
        () -> now.get() + aheadMicros,
        HvcClock.MAX_DRIFT_DEFAULT);
  }

  private OperationStamps stamps(HvcClock clock, int nodes) {
    return new OperationStamps(clock, nodes, "cluster", refused::add);
  }

  @Test
  void aReceiversNextStampIsAfterAllThatTheSenderHasStamped() {
    HvcClock ahead = clock(0, 2, 400_000);
    HvcClock behind = clock(1, 2, 0);
    Hvc sent = ahead.tick();
    stamps(behind, 2).received(stamps(ahead, 2).stamped(PAYLOAD));
    Hvc next = behind.tick();
    assertThat(sent.isBefore(next)).isTrue();
    assertThat(next.own()).isGreaterThan(sent.own());
    assertThat(refused).isEmpty();
  }

  @Test
  void packetsWithoutAnEventInBetweenCarryTheSameClockWhichIsTakenInOnce() {
    HvcClock sender = clock(0, 2, 0);
    HvcClock receiver = clock(1, 2, 0);
    Hvc unused = sender.tick();
    OperationStamps sending = stamps(sender, 2);
    OperationStamps receiving = stamps(receiver, 2);
    byte[] first = sending.stamped(PAYLOAD);
    receiving.received(first);
    Hvc taken = receiver.last();
    now.addAndGet(100);
    assertThat(sending.stamped(PAYLOAD)).isEqualTo(first);
    receiving.received(first);
    assertThat(receiver.last()).isSameAs(taken);
  }

  @Test
  void aClockTooFarAheadIsRefusedAndCountedAndChangesNothing() {
    HvcClock poisoned = clock(0, 2, 500_001);
    HvcClock receiver = clock(1, 2, 0);
    Hvc unused = poisoned.tick();
    Hvc before = receiver.tick();
    OperationStamps receiving = stamps(receiver, 2);
    receiving.received(stamps(poisoned, 2).stamped(PAYLOAD));
    assertThat(receiver.last()).isEqualTo(before);
    assertThat(receiving.refused()).isEqualTo(1);
    assertThat(refused.get(0).other()).isEqualTo(0);
    assertThat(refused.get(0).aheadMicros()).isEqualTo(500_001);
  }

  @Test
  void theGreatestClockIsRefused() {
    HvcClock receiver = clock(1, 2, 0);
    Hvc before = receiver.tick();
    OperationStamps receiving = stamps(receiver, 2);
    byte[] stamp = StampCodec.encode("cluster".hashCode(), Hvc.of(0, Long.MAX_VALUE, 1));
    receiving.received(StampCodec.append(PAYLOAD, stamp));
    assertThat(receiving.refused()).isEqualTo(1);
    assertThat(receiver.tick().own()).isEqualTo(before.own() + 1);
  }

  @Test
  void aStampOfAnotherClusterOrSizeIsCountedAndChangesNothing() {
    HvcClock receiver = clock(1, 2, 0);
    Hvc before = receiver.tick();
    OperationStamps receiving = stamps(receiver, 2);
    receiving.received(stamps(clock(0, 3, 0), 3).stamped(PAYLOAD));
    receiving.received(
        new OperationStamps(clock(0, 2, 0), 2, "other", refused::add).stamped(PAYLOAD));
    assertThat(receiving.unread()).isEqualTo(2);
    receiving.received(PAYLOAD);
    receiving.received(new byte[0]);
    assertThat(receiving.unread()).isEqualTo(2);
    assertThat(receiver.last()).isEqualTo(before);
    assertThat(Hlc.micros(receiver.tick().own())).isEqualTo(1_000_000);
  }
}
