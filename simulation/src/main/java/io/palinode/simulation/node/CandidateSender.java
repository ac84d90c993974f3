package io.palinode.simulation.node;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.KeyState;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.hvc.HvcClock;
import io.palinode.simulation.environment.Link;
import io.palinode.simulation.world.Fault;
import io.palinode.simulation.world.Texts;
import io.palinode.simulation.world.World;
import io.palinode.store.binding.StoreBinding;
import io.palinode.wire.v1.CandidateRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Empties a node's ring into the candidates' topic, and asks for progress in time: what the
 * emitter's thread and the producer do in production.
 */
final class CandidateSender {
  private static final long BUSY_MICROS = 10_000;
  private static final long IDLE_MICROS = 50_000;
  private static final long BUSY_FOR_MICROS = 100_000;
  private static final long STOP_MICROS_MAX = 300_000;
  private static final long STOP_POLL_MICROS = 2_000;
  private static final int HELD_UP_PERCENT = 15;

  private final World world;
  private final NodeMachine machine;
  private final int node;
  private final LocalDetector detector;
  private final CandidateRing ring;
  private final CandidateEncoder encoder;
  private final WatchedIntervals intervals;
  private final HvcClock clock;
  private final Link producer;

  /** The last sequence of each partition, and the last progress; for a planted bug. */
  private final long[] sent;

  private @Nullable Progress latest;
  private final boolean[] recorded;
  private final List<Emission> batch = new ArrayList<>();
  private boolean running = true;
  private boolean ticking = true;
  private boolean refusedSome;
  private boolean heldUp;
  private long busyUntil;

  CandidateSender(
      World world,
      NodeMachine machine,
      StoreBinding store,
      LocalDetector detector,
      CandidateRing ring,
      WatchedIntervals intervals) {
    this.world = world;
    this.machine = machine;
    this.node = machine.id();
    this.detector = detector;
    this.ring = ring;
    this.encoder = new CandidateEncoder(node, store.incarnation());
    this.intervals = intervals;
    this.clock = store.clock();
    this.sent = new long[ring.partitions()];
    this.producer = new Link(world.network(), node, world.kafka());
    this.recorded = new boolean[ring.partitions()];
  }

  void start() {
    tick();
  }

  boolean isRecordedEverywhere() {
    for (boolean one : recorded) {
      if (!one) {
        return false;
      }
    }
    return true;
  }

  private void tick() {
    if (running && ticking) {
      machine.dyingInIt(this::report);
    }
    if (running && ticking) {
      boolean busy = world.time().nowMicros() < busyUntil;
      world.time().in(busy ? BUSY_MICROS : IDLE_MICROS, this::tick);
    }
  }

  private void report() {
    if (heldUp) {
      return;
    }
    boolean published = detector.reportProgress();
    flushAll();
    if (published) {
      intervals.publishedAll();
    } else if (!world.seams().waitsForUnpublished() && latest != null) {
      send(new Progress(latest.epoch(), clock.tick(), Arrays.stream(sent).boxed().toList()));
    }
  }

  /**
   * Sends what is in the ring; but where that is small, the producer's buffer is full now and then,
   * and so is the ring soon.
   */
  void flush() {
    if (heldUp) {
      return;
    }
    if (world.shape().candidates().isRingSmall()
        && running
        && world.dice().percent(HELD_UP_PERCENT)) {
      heldUp = true;
      world.time().in(world.dice().mostlyNear(5_000, 100_000), this::goOn);
    } else {
      flushAll();
    }
  }

  private void goOn() {
    heldUp = false;
    if (running) {
      flushAll();
    }
  }

  /** Sends what is in the ring, whatever held it up. */
  void flushAll() {
    while (ring.drain(batch, Integer.MAX_VALUE) > 0) {
      batch.forEach(this::send);
      batch.clear();
    }
  }

  private void send(Emission emission) {
    if (emission instanceof Opened opened) {
      event(opened, encoder.opened(opened));
    } else if (emission instanceof Closed closed) {
      event(closed, encoder.closed(closed));
    } else if (emission instanceof KeyState published) {
      event(published, encoder.keyState(published));
    } else if (emission instanceof Gap gap) {
      sent[gap.partition()] = gap.lastSequence();
      send(gap.partition(), encoder.gap(gap), () -> ring.lost(gap));
    } else if (emission instanceof Progress progress) {
      latest = progress;
      for (int partition = 0; partition < recorded.length; partition++) {
        send(partition, encoder.progress(progress, partition), () -> {});
      }
    }
  }

  private void event(Emission.Event event, CandidateRecord record) {
    busyUntil = world.time().nowMicros() + BUSY_FOR_MICROS;
    sent[event.partition()] = event.sequence();
    intervals.said(record);
    world.detection().said(record, event.partition());
    world.trace().add("node" + node, "sees", () -> Texts.of(record));
    send(
        event.partition(),
        world.seams().tellsTimesOfVersions() ? record : Untimed.of(record),
        () -> {
          intervals.refused(record);
          if (world.seams().hearsOfRefusals()) {
            detector.lost(event);
          } else {
            ring.lost(event.lost());
          }
        });
  }

  /** {@code lost} runs if the record never arrives. */
  private void send(int partition, CandidateRecord record, Runnable lost) {
    producer.send(() -> arrived(partition, record, lost));
  }

  private void arrived(int partition, CandidateRecord record, Runnable lost) {
    if (running && world.refusesCandidates()) {
      refusedSome = true;
      world.trace().add("kafka", "refused", () -> "node" + node + " " + Texts.of(record));
      lost.run();
      return;
    }
    recorded[partition] = true;
    world.candidate(partition, record);
    if (!record.hasProgress() && world.isHit(Fault.DUPLICATE, 5)) {
      world.candidate(partition, record);
    }
  }

  void die() {
    running = false;
    producer.close(world.dice().below(producer.underWay() + 1));
  }

  /** Sends all, says that it was all, and then calls {@code done}, at the latest after a while. */
  void stop(Runnable done) {
    Progress last = detector.stop();
    flushAll();
    ticking = false;
    refusedSome = false;
    awaitSent(world.time().nowMicros() + STOP_MICROS_MAX, () -> sayStopped(last, done), done);
  }

  private void sayStopped(@Nullable Progress last, Runnable done) {
    if (last == null || refusedSome || !ring.isEmpty()) {
      done.run();
      return;
    }
    for (int partition = 0; partition < recorded.length; partition++) {
      send(partition, encoder.stopped(last, partition), () -> {});
    }
    awaitSent(world.time().nowMicros() + STOP_MICROS_MAX, done, done);
  }

  private void awaitSent(long until, Runnable sent, Runnable late) {
    if (!running) {
      return;
    }
    if (producer.underWay() == 0) {
      sent.run();
    } else if (world.time().nowMicros() > until) {
      producer.close(0);
      late.run();
    } else {
      world.time().in(STOP_POLL_MICROS, () -> awaitSent(until, sent, late));
    }
  }
}
