package io.palinode.monitor;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.Gap;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.Progress;
import io.palinode.wire.v1.Stopped;
import io.palinode.wire.v1.VariableVersion;

/** Candidate records of a cluster of three nodes, written short: times are microseconds. */
public final class Records {
  public static final int NODES = 3;
  public static final String PREDICATE = "p";

  private Records() {}

  /** The clock of a node that received the others' clocks {@code lag} µs ago. */
  public static Hvc clock(int node, long micros, long lag) {
    long[] entries = new long[NODES];
    for (int i = 0; i < NODES; i++) {
      entries[i] = Hlc.ofMicros(i == node ? micros : Math.max(0, micros - lag));
    }
    return Hvc.of(node, entries);
  }

  public static IntervalRef interval(String binding, int term) {
    return IntervalRef.newBuilder()
        .setPredicate(PREDICATE)
        .setPredicateVersion(1)
        .setBinding(binding)
        .setTerm(term)
        .build();
  }

  public static VariableVersion version(String key, int clock) {
    return VariableVersion.newBuilder()
        .setStore("s")
        .setKey(ByteString.copyFromUtf8(key))
        .setValue(ByteString.copyFromUtf8("1"))
        .setClock(ByteString.copyFrom(new byte[] {(byte) clock}))
        .build();
  }

  /** As a node publishes it that publishes times. */
  public static VariableVersion version(String key, int clock, long timestampMs) {
    return version(key, clock).toBuilder().setTimestampMs(timestampMs).build();
  }

  public static CandidateRecord.Builder of(int node, long incarnation, long sequence) {
    return CandidateRecord.newBuilder()
        .setNode(node)
        .setIncarnation(incarnation)
        .setSequence(sequence);
  }

  public static CandidateRecord opened(int node, long sequence, IntervalRef interval, Hvc start) {
    return of(node, 1, sequence)
        .setOpened(
            Opened.newBuilder()
                .setInterval(interval)
                .setStart(CandidateRecords.encode(start))
                .addValues(version("x" + interval.getTerm(), node + 1))
                .setWriter("client"))
        .build();
  }

  public static CandidateRecord closed(
      int node, long sequence, long openedSequence, IntervalRef interval, Hvc start, Hvc end) {
    return of(node, 1, sequence)
        .setClosed(
            Closed.newBuilder()
                .setInterval(interval)
                .setOpenedSequence(openedSequence)
                .setStart(CandidateRecords.encode(start))
                .setEnd(CandidateRecords.encode(end))
                .setOpenedBy(version("x" + interval.getTerm(), node + 1)))
        .build();
  }

  public static CandidateRecord progress(int node, long sequence, Hvc clock) {
    return of(node, 1, sequence)
        .setProgress(Progress.newBuilder().setHvc(CandidateRecords.encode(clock)))
        .build();
  }

  public static CandidateRecord gap(
      int node, long first, long last, long fromMicros, long toMicros) {
    return of(node, 1, last)
        .setGap(
            Gap.newBuilder()
                .setFirstSequence(first)
                .setLastSequence(last)
                .setFromHlc(Hlc.ofMicros(fromMicros))
                .setToHlc(Hlc.ofMicros(toMicros)))
        .build();
  }

  public static CandidateEvent event(CandidateRecord record) {
    return event(0, record);
  }

  public static CandidateEvent event(int partition, CandidateRecord record) {
    return CandidateEvent.parse(partition, NODES, record.toByteArray());
  }

  /** An opening of term 0 at {@code micros}. */
  public static CandidateEvent opened(int node, long sequence, long micros) {
    return event(opened(node, sequence, interval("", 0), clock(node, micros, 0)));
  }

  public static CandidateEvent progress(int node, long sequence, long micros) {
    return event(progress(node, sequence, clock(node, micros, 0)));
  }

  public static CandidateEvent stopped(int node, long sequence, long micros) {
    return event(
        of(node, 1, sequence)
            .setStopped(
                Stopped.newBuilder().setHvc(CandidateRecords.encode(clock(node, micros, 0))))
            .build());
  }
}
