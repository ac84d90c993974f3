package io.palinode.simulation.job;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Hlc;
import io.palinode.monitor.judgement.JudgedPace;
import io.palinode.simulation.environment.Link;
import io.palinode.simulation.world.World;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Judged;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import java.util.function.BooleanSupplier;

/** What the job publishes, in which order and pace. */
final class JobSink {
  /** As often as a job after a violation: judgement that comes too early then shows. */
  private static final long JUDGED_EVERY_MS = 20;

  /** How late violations are where they do not come before judgement. */
  private static final long LATE_MICROS = 60_000;

  private final World world;
  private final BooleanSupplier alive;
  private final Link link;
  private final JudgedPace pace = new JudgedPace(JUDGED_EVERY_MS, JUDGED_EVERY_MS);
  private boolean judging;

  JobSink(World world, BooleanSupplier alive) {
    this.world = world;
    this.alive = alive;
    this.link = new Link(world.network(), world.job(), world.kafka());
  }

  /** Records that are on their way. */
  int underWay() {
    return link.underWay();
  }

  /** Of the records that are on their way, the first {@code arriving} arrive. */
  void close(int arriving) {
    link.close(arriving);
  }

  void hold(long hlc) {
    pace.hold(hlc);
  }

  void release(long hlc) {
    pace.release(hlc);
  }

  /** All before {@code reached} is judged. */
  void judge(long reached) {
    pace.watermark(reached - 1);
    sayWhatIsDue();
  }

  void sayWhatIsDue() {
    if (!alive.getAsBoolean()) {
      return;
    }
    long nowMs = world.time().nowMicros() / 1_000;
    long judged = pace.due(nowMs);
    if (judged != JudgedPace.NOTHING) {
      publish(ViolationRecord.newBuilder().setJudged(Judged.newBuilder().setHlc(judged)).build());
    } else if (pace.isPending() && !judging) {
      judging = true;
      world
          .time()
          .in(
              (pace.nextAtMs() - nowMs) * 1_000,
              () -> {
                judging = false;
                sayWhatIsDue();
              });
    }
  }

  void publish(Violation violation) {
    ViolationRecord record = ViolationRecord.newBuilder().setViolation(violation).build();
    if (world.seams().judgesLast()) {
      publish(record);
    } else {
      world.time().in(LATE_MICROS, () -> publish(record));
    }
  }

  /** A coverage gap that the source found. */
  void lost(byte[] body) {
    try {
      ViolationRecord record =
          ViolationRecord.newBuilder().setCoverageLost(CoverageLost.parseFrom(body)).build();
      if (world.seams().tellsLossesFirst()) {
        publish(record);
      } else {
        world.time().in(LATE_MICROS, () -> publish(record));
      }
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a loss must be readable", e);
    }
  }

  /**
   * A coverage gap of triggers that are not judged; as {@code Publisher}, of the next second too.
   */
  void unjudged(int partition, long now) {
    CoverageLost loss =
        CoverageLost.newBuilder()
            .setPartition(partition)
            .setToHlc(now + Hlc.ofMicros(1_000_000))
            .setCause("answers may be missing")
            .build();
    publish(ViolationRecord.newBuilder().setCoverageLost(loss).build());
  }

  private void publish(ViolationRecord record) {
    link.send(() -> world.violation(record));
  }
}
